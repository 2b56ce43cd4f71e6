/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How an operation below cmd/ and tui/ says what went wrong. Functions return 0 or a
 * negative errno and fill the struct nt_err passed last; nothing below cmd/ and tui/
 * prints or exits. Callers may pass NULL when only the code matters.
 */
#ifndef NETTUNE_ERR_H
#define NETTUNE_ERR_H

#include <stdarg.h>
#include <stdbool.h>

struct nt_err {
	int code;	  /* negative errno; 0 when nothing was set */
	char msg[400];	  /* one line, lower case, no full stop, subject in quotes */
	char kernel[160]; /* the kernel's own ext-ack text, verbatim; "" when there is none */
};

/* Clear err (NULL allowed). */
void nt_err_clear(struct nt_err *err);

/*
 * Set code and message; control bytes in the message are replaced, so that a hostile
 * name cannot write to the terminal. Clears err->kernel. Returns code.
 */
int nt_err_set(struct nt_err *err, int code, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/* As nt_err_set, with ": strerror(-code)" appended. Returns code. */
int nt_err_sys(struct nt_err *err, int code, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/* Put "prefix: " before the message already in err. Returns err->code. */
int nt_err_prefix(struct nt_err *err, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

/* Keep the kernel's ext-ack text beside the message. text may be NULL. */
void nt_err_kernel(struct nt_err *err, const char *text);

#endif
