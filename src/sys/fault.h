/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Faults as text, between the parser and the wrapper. */
#ifndef NETTUNE_SYS_FAULT_H
#define NETTUNE_SYS_FAULT_H

#include "nettune/sysfault.h"

enum nt_fault_kind {
	NT_FAULT_ERRNO,
	NT_FAULT_DONE, /* fails though it was done */
	NT_FAULT_SHORT,
	NT_FAULT_CLAMP,
	NT_FAULT_IGNORE,
	NT_FAULT_HANG,
	NT_FAULT_DEVICE,
	NT_FAULT_KILL,
	NT_FAULT_KILLED,
};

struct nt_fault {
	unsigned long at;    /* number of the call; 0: by op and subject */
	char *op, *subject;  /* patterns; NULL any */
	unsigned long nth;   /* 0: every match */
	unsigned long seen;  /* matches so far */
	enum nt_fault_kind kind;
	int code;	     /* -errno; 0 none */
	long value;	     /* CLAMP, HANG in ms */
	char *device;
};

struct nt_faults {
	struct nt_fault *v;
	size_t n, cap;
	char *log;
};

int nt_faults_parse(const char *spec, struct nt_faults *ret, struct nt_err *err);
void nt_faults_free(struct nt_faults *f);

#endif
