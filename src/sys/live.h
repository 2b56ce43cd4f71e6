/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The live backend's state, shared by the files of src/sys. */
#ifndef NETTUNE_SYS_LIVE_H
#define NETTUNE_SYS_LIVE_H

#include "nettune/sys.h"

struct nt_rtnl;
struct nt_ethnl;
struct nt_ethio;

struct nt_live {
	struct nt_sys sys; /* first: a struct nt_sys * is cast back */
	struct nt_rtnl *rtnl;
	struct nt_ethnl *ethnl; /* NULL: the kernel has no ethtool family, or ioctl is wanted */
	struct nt_ethio *ethio;
};

/* file.c */
int nt_file_read(struct nt_sys *s, const char *path, struct nt_buf *ret, struct nt_err *err);
int nt_file_write(struct nt_sys *s, const char *path, const void *data, size_t len,
	struct nt_err *err);
int nt_file_list(struct nt_sys *s, const char *path, nt_dir_fn *fn, void *arg,
	struct nt_err *err);
int nt_file_readlink(struct nt_sys *s, const char *path, char *ret, size_t size,
	struct nt_err *err);

#endif
