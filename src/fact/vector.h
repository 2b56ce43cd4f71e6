/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Sysctls that hold several numbers, and what these are called. Private to fact. */
#ifndef FACT_VECTOR_H
#define FACT_VECTOR_H

#include <stddef.h>

struct nt_vector {
	const char *name; /* below net.ipv4, where all of them are */
	int n;
	const char *part[3];
};

/* The vector of that name, of len bytes; NULL: it is none. */
const struct nt_vector *nt_vector_find(const char *name, size_t len);

#endif
