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
#define SYSCTLS "/proc/sys/"

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

/* A table, in as many pieces as it takes. */
static int read_pieces(int fd, struct nt_buf *ret)
{
	size_t start = ret->len, chunk = CHUNK;
	ssize_t n;

	for (;;) {
		n = read(fd, nt_buf_reserve(ret, chunk), chunk);
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return n < 0 ? -errno : 0;
		ret->len += (size_t)n;
		if (ret->len - start > FILE_MAX)
			return -EFBIG;
		/* /proc makes some tables anew for each read */
		if ((size_t)n == chunk && chunk < 16 * CHUNK)
			chunk *= 2;
	}
}

/* A sysctl: one reading gives all that there is room for, a second nothing more. */
static int read_sysctl(int fd, struct nt_buf *ret)
{
	size_t room;
	ssize_t n;

	for (room = CHUNK; room <= FILE_MAX; room *= 16) {
		do
			n = pread(fd, nt_buf_reserve(ret, room), room, 0);
		while (n < 0 && errno == EINTR);
		if (n < 0)
			return -errno;
		if ((size_t)n < room) {
			ret->len += (size_t)n;
			return 0;
		}
	}
	return -EFBIG;
}

int nt_file_read(struct nt_sys *s, const char *path, struct nt_buf *ret, struct nt_err *err)
{
	size_t start = ret->len;
	int fd, r;

	(void)s;
	if (strcmp(path, "/dev/kmsg") == 0)
		return kernel_log(ret, err);
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (fd < 0)
		return nt_err_sys(err, -errno, "cannot open '%s'", path);
	r = strncmp(path, SYSCTLS, strlen(SYSCTLS)) == 0 ? read_sysctl(fd, ret) :
							     read_pieces(fd, ret);
	close(fd);
	if (r) {
		nt_buf_cut(ret, start);
		return nt_err_sys(err, r, "cannot read '%s'", path);
	}
	if (ret->s)
		ret->s[ret->len] = '\0';
	return 0;
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
