/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Kernel-like versions: 6.1.192, 3.12-rc4, "6.18.44-fc-v595". */
#ifndef NETTUNE_VERSION_H
#define NETTUNE_VERSION_H

#include <stdbool.h>

#define NT_VERSION_PARTS 4

struct nt_version {
	int part[NT_VERSION_PARTS];
	int n;	/* parts given, 1..4 */
	int rc; /* 0 for a release; an -rc sorts before its release */
};

/*
 * Parse the numbers that s begins with ("3.10.18", "6.1.0-18-amd64", "5.4-rc3+").
 * Returns 0, or -EINVAL when s does not begin with a number.
 */
int nt_version_parse(const char *s, struct nt_version *ret);
/* <0, 0, >0; missing parts count as 0. */
int nt_version_cmp(const struct nt_version *a, const struct nt_version *b);
/*
 * Whether v lies in first..last, both included. A bound counts only as many parts as it
 * gives: 3.11.7..3.11 holds for every 3.11.y from .7 on.
 */
bool nt_version_in(const struct nt_version *v, const struct nt_version *first,
	const struct nt_version *last);
/* "3.10.18" or "3.12-rc4" into ret (at least 48 bytes). */
void nt_version_format(char ret[48], const struct nt_version *v);

#endif
