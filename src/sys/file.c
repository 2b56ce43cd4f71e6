/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "live.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/klog.h>
#include <sys/stat.h>
#include <unistd.h>

#define FILE_MAX (16U << 20)
#define CHUNK 4096U

enum { KLOG_READ_ALL = 3, KLOG_SIZE = 10 }; /* syslog(2) */

/* What /dev/kmsg would give record by record, in one call. */
static int kernel_log(struct nt_buf *ret, struct nt_err *err)
{
	int size = klogctl(KLOG_SIZE, NULL, 0), n = -1;

	if (size > 0)
		n = klogctl(KLOG_READ_ALL, nt_buf_reserve(ret, size), size);
	if (n < 0)
		return nt_err_sys(err, -errno, "cannot read the kernel log");
	ret->len += n;
	ret->s[ret->len] = '\0';
	return 0;
}

int nt_file_read(struct nt_sys *s, const char *path, struct nt_buf *ret, struct nt_err *err)
{
	size_t start = ret->len, chunk = CHUNK;
	ssize_t n;
	int fd, r = 0;

	(void)s;
	if (strcmp(path, "/dev/kmsg") == 0)
		return kernel_log(ret, err);
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (fd < 0)
		return nt_err_sys(err, -errno, "cannot open '%s'", path);
	for (;;) {
		char *to = nt_buf_reserve(ret, chunk);

		n = read(fd, to, chunk);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			r = -errno;
		if (n <= 0)
			break;
		ret->len += n;
		ret->s[ret->len] = '\0';
		if (ret->len - start > FILE_MAX) {
			r = -EFBIG;
			break;
		}
		/* /proc makes some tables anew for each read */
		if ((size_t)n == chunk && chunk < 16 * CHUNK)
			chunk *= 2;
	}
	close(fd);
	if (r) {
		nt_buf_cut(ret, start);
		nt_err_sys(err, r, "cannot read '%s'", path);
	}
	return r;
}

int nt_file_write(struct nt_sys *s, const char *path, const void *data, size_t len,
	struct nt_err *err)
{
	ssize_t n;
	int fd, r = 0;

	(void)s;
	fd = open(path, O_WRONLY | O_CLOEXEC);
	if (fd < 0)
		return nt_err_sys(err, -errno, "cannot open '%s' to write", path);
	do
		n = write(fd, data, len);
	while (n < 0 && errno == EINTR);
	if (n < 0)
		r = nt_err_sys(err, -errno, "cannot write '%s'", path);
	else if ((size_t)n != len)
		r = nt_err_set(err, -EIO, "short write to '%s': %zd of %zu bytes", path, n, len);
	if (close(fd) < 0 && !r)
		r = nt_err_sys(err, -errno, "cannot write '%s'", path);
	return r;
}

int nt_file_list(struct nt_sys *s, const char *path, nt_dir_fn *fn, void *arg,
	struct nt_err *err)
{
	struct dirent *d;
	struct stat st;
	bool is_dir;
	DIR *dir;
	int r = 0;

	(void)s;
	dir = opendir(path);
	if (!dir)
		return nt_err_sys(err, -errno, "cannot open '%s'", path);
	for (;;) {
		errno = 0;
		d = readdir(dir);
		if (!d)
			break;
		if (!strcmp(d->d_name, ".") || !strcmp(d->d_name, ".."))
			continue;
		is_dir = d->d_type == DT_DIR;
		if (d->d_type == DT_UNKNOWN || d->d_type == DT_LNK)
			is_dir = !fstatat(dirfd(dir), d->d_name, &st, 0) && S_ISDIR(st.st_mode);
		if (fn(arg, d->d_name, is_dir)) {
			errno = 0;
			break;
		}
	}
	if (errno)
		r = nt_err_sys(err, -errno, "cannot list '%s'", path);
	closedir(dir);
	return r;
}

int nt_file_readlink(struct nt_sys *s, const char *path, char *ret, size_t size,
	struct nt_err *err)
{
	ssize_t n;

	(void)s;
	n = readlink(path, ret, size - 1);
	if (n < 0)
		return nt_err_sys(err, -errno, "cannot read link '%s'", path);
	if ((size_t)n == size - 1)
		return nt_err_set(err, -ENAMETOOLONG, "target of link '%s' is too long", path);
	ret[n] = '\0';
	return 0;
}
