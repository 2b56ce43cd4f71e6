/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "wire.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <sodium.h>
#include <string.h>
#include <unistd.h>

#include "nettune/mem.h"
#include "nettune/names.h"

static const unsigned char magic[4] = { 'N', 'T', 'P', 'R' };

void nt_preamble_write(unsigned char buf[NT_PREAMBLE_LEN], const struct nt_preamble *p)
{
	memset(buf, 0, NT_PREAMBLE_LEN);
	memcpy(buf, magic, sizeof magic);
	buf[4] = p->version;
	buf[5] = p->kind;
	buf[6] = p->stream >> 8;
	buf[7] = p->stream & 0xff;
	memcpy(buf + 8, p->nonce, sizeof p->nonce);
}

int nt_preamble_read(const unsigned char buf[NT_PREAMBLE_LEN], struct nt_preamble *ret)
{
	if (memcmp(buf, magic, sizeof magic) != 0)
		return -EPROTO;
	if (buf[5] < NT_CONN_CONTROL || buf[5] > NT_CONN_UDP)
		return -EPROTO;
	ret->version = buf[4];
	ret->kind = buf[5];
	ret->stream = buf[6] << 8 | buf[7];
	memcpy(ret->nonce, buf + 8, sizeof ret->nonce);
	return 0;
}

static size_t be32(const unsigned char *p)
{
	return (size_t)p[0] << 24 | p[1] << 16 | p[2] << 8 | p[3];
}

ssize_t nt_frame_parse(const unsigned char *data, size_t len, size_t max,
	struct nt_frame *ret)
{
	size_t body;

	if (len < NT_FRAME_HEAD)
		return 0;
	body = be32(data);
	if (body > max || data[4] < NT_FRAME_HELLO || data[4] >= _NT_FRAME_MAX || data[5] ||
		data[6] || data[7])
		return -EPROTO;
	if (len - NT_FRAME_HEAD < body)
		return 0;
	ret->type = data[4];
	ret->body = data + NT_FRAME_HEAD;
	ret->len = body;
	return NT_FRAME_HEAD + body;
}

/* Nesting of brackets outside strings: jansson's own bound is 2048 levels of recursion. */
static bool too_deep(const unsigned char *s, size_t len)
{
	bool in_string = false;
	int depth = 0;
	size_t i;

	for (i = 0; i < len; i++) {
		if (in_string) {
			if (s[i] == '\\')
				i++;
			else if (s[i] == '"')
				in_string = false;
		} else if (s[i] == '"') {
			in_string = true;
		} else if (s[i] == '{' || s[i] == '[') {
			if (++depth > NT_JSON_DEPTH)
				return true;
		} else if (s[i] == '}' || s[i] == ']') {
			depth--;
		}
	}
	return false;
}

json_t *nt_wire_json(const unsigned char *body, size_t len, struct nt_err *err)
{
	json_t *j = NULL;

	if (!too_deep(body, len))
		j = json_loadb((const char *)body, len, JSON_REJECT_DUPLICATES, NULL);
	if (!json_is_object(j)) {
		json_decref(j);
		nt_err_set(err, -EPROTO, "the other end sent something that is not the protocol");
		return NULL;
	}
	return j;
}

json_t *nt_wire_text(const char *s)
{
	json_t *j = json_string(s);
	size_t size = strlen(s) + 1;
	char *shown;

	if (j)
		return j;
	shown = nt_malloc(size);
	nt_printable(shown, size, s);
	j = json_string(shown);
	free(shown);
	if (!j)
		nt_die("out of memory");
	return j;
}

int nt_wire_num(const json_t *obj, const char *key, double min, double max, double *ret)
{
	const json_t *v = json_object_get(obj, key);
	double n;

	if (json_is_null(v)) {
		*ret = NAN;
		return 0;
	}
	if (!json_is_number(v))
		return -EPROTO;
	n = json_number_value(v);
	if (!(n >= min && n <= max))
		return -EPROTO;
	*ret = n;
	return 0;
}

int nt_wire_str(const json_t *obj, const char *key, char *ret, size_t size)
{
	const json_t *v = json_object_get(obj, key);
	size_t len = json_string_length(v);

	if (!json_is_string(v) || len >= size || strlen(json_string_value(v)) != len)
		return -EPROTO;
	memcpy(ret, json_string_value(v), len + 1);
	return 0;
}

int nt_wire_hex(const json_t *obj, const char *key, unsigned char *ret, size_t len)
{
	const json_t *v = json_object_get(obj, key);
	size_t got = 0;

	if (!json_is_string(v) || json_string_length(v) != 2 * len ||
		sodium_hex2bin(ret, len, json_string_value(v), 2 * len, NULL, &got, NULL) != 0 ||
		got != len)
		return -EPROTO;
	return 0;
}

void nt_wire_set_hex(json_t *obj, const char *key, const unsigned char *v, size_t len)
{
	char hex[2 * NT_NONCE_LEN + 1];

	if (len > NT_NONCE_LEN)
		nt_die("bug: %zu bytes as hex", len);
	sodium_bin2hex(hex, sizeof hex, v, len);
	json_object_set_new(obj, key, json_string(hex));
}

void nt_key_derive(const struct nt_probe_key *key, const char *label,
	const unsigned char cnonce[NT_NONCE_LEN], const unsigned char snonce[NT_NONCE_LEN],
	unsigned char ret[32])
{
	crypto_generichash_state st;

	crypto_generichash_init(&st, key->k, sizeof key->k, 32);
	crypto_generichash_update(&st, (const unsigned char *)label, strlen(label) + 1);
	crypto_generichash_update(&st, cnonce, NT_NONCE_LEN);
	crypto_generichash_update(&st, snonce, NT_NONCE_LEN);
	crypto_generichash_final(&st, ret, 32);
}

void nt_auth_mac(const struct nt_probe_key *key, enum nt_side side,
	const unsigned char cnonce[NT_NONCE_LEN], const unsigned char snonce[NT_NONCE_LEN],
	unsigned char ret[NT_MAC_LEN])
{
	nt_key_derive(key, side == NT_SIDE_CLIENT ? "nettune client proof" : "nettune server proof",
		cnonce, snonce, ret);
}

int nt_host_proof(const unsigned char cnonce[NT_NONCE_LEN],
	const unsigned char snonce[NT_NONCE_LEN], unsigned char ret[NT_MAC_LEN])
{
	struct nt_probe_key key = { .set = true };
	unsigned char id[64];
	int fd = open("/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? -1 : read(fd, id, sizeof id);

	if (fd >= 0)
		close(fd);
	if (n < 16)
		return -ENODATA;
	crypto_generichash(key.k, sizeof key.k, id, n, NULL, 0);
	nt_key_derive(&key, "nettune same host", cnonce, snonce, ret);
	return 0;
}

bool nt_auth_equal(const unsigned char a[NT_MAC_LEN], const unsigned char b[NT_MAC_LEN])
{
	return sodium_memcmp(a, b, NT_MAC_LEN) == 0;
}
