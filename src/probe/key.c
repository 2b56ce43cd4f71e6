/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "nettune/probe.h"

#include <errno.h>
#include <fcntl.h>
#include <sodium.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define KEY_FILE_MAX 65536
#define PHRASE_MIN 8

/* Both ends must come to the same key, so the salt is fixed; the cost is what protects a
 * short phrase from being guessed out of a recorded challenge. */
static const unsigned char salt[crypto_pwhash_SALTBYTES] = "nettune-probe-1";

static int read_key(const char *file, unsigned char *buf, size_t *ret_len,
	bool *ret_exposed, struct nt_err *err)
{
	struct stat st;
	size_t len = 0;
	ssize_t n;
	int fd = open(file, O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		return nt_err_sys(err, -errno, "cannot read key file '%s'", file);
	*ret_exposed = fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && (st.st_mode & 077);
	do {
		n = read(fd, buf + len, KEY_FILE_MAX + 1 - len);
		if (n > 0)
			len += n;
	} while ((n > 0 && len <= KEY_FILE_MAX) || (n < 0 && errno == EINTR));
	if (n < 0) {
		nt_err_sys(err, -errno, "cannot read key file '%s'", file);
		close(fd);
		return -EIO;
	}
	close(fd);
	*ret_len = len;
	return 0;
}

int nt_probe_key_load(const char *file, struct nt_probe_key *ret, bool *ret_exposed,
	struct nt_err *err)
{
	unsigned char *buf = nt_malloc(KEY_FILE_MAX + 1);
	size_t len = 0;
	int rc;

	memset(ret, 0, sizeof *ret);
	if (sodium_init() < 0) {
		rc = nt_err_set(err, -EIO, "libsodium does not start");
		goto out;
	}
	rc = read_key(file, buf, &len, ret_exposed, err);
	if (rc)
		goto out;
	if (len && len <= KEY_FILE_MAX && buf[len - 1] == '\n')
		len--;
	if (len < PHRASE_MIN || len > KEY_FILE_MAX)
		rc = nt_err_set(err, -EINVAL,
			"key file '%s' is too %s: use 32 random bytes or a pass phrase of %d",
			file, len < PHRASE_MIN ? "short" : "long", PHRASE_MIN);
	else if (len >= NT_PROBE_KEY_LEN)
		crypto_generichash(ret->k, sizeof ret->k, buf, len, NULL, 0);
	else if (crypto_pwhash(ret->k, sizeof ret->k, (const char *)buf, len, salt,
			 crypto_pwhash_OPSLIMIT_INTERACTIVE, crypto_pwhash_MEMLIMIT_INTERACTIVE,
			 crypto_pwhash_ALG_ARGON2ID13) != 0)
		rc = nt_err_set(err, -ENOMEM, "no memory to hash the pass phrase in '%s'", file);
	ret->set = rc == 0;
out:
	sodium_memzero(buf, KEY_FILE_MAX + 1);
	free(buf);
	return rc;
}
