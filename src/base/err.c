/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "nettune/err.h"

#include <stdio.h>
#include <string.h>

static void tame(char *s)
{
	for (; *s; s++)
		if ((unsigned char)*s < 0x20 || *s == 0x7f)
			*s = '?';
}

void nt_err_clear(struct nt_err *err)
{
	if (err)
		memset(err, 0, sizeof *err);
}

/* The message, and after a colon why where there is more to say. */
static void __attribute__((format(printf, 3, 0)))
say(struct nt_err *err, const char *why, const char *fmt, va_list ap)
{
	size_t len;

	vsnprintf(err->msg, sizeof err->msg, fmt, ap);
	len = strlen(err->msg);
	if (why)
		snprintf(err->msg + len, sizeof err->msg - len, ": %s", why);
	tame(err->msg);
}

static int __attribute__((format(printf, 4, 0)))
fail(struct nt_err *err, int code, const char *why, const char *fmt, va_list ap)
{
	if (!err)
		return code;
	nt_err_clear(err);
	err->code = code;
	say(err, why, fmt, ap);
	return code;
}

int nt_err_set(struct nt_err *err, int code, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	code = fail(err, code, NULL, fmt, ap);
	va_end(ap);
	return code;
}

int nt_err_sys(struct nt_err *err, int code, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	code = fail(err, code, strerror(-code), fmt, ap);
	va_end(ap);
	return code;
}

int nt_err_prefix(struct nt_err *err, const char *fmt, ...)
{
	char old[sizeof err->msg];
	va_list ap;

	if (!err)
		return -1;
	memcpy(old, err->msg, sizeof old);
	va_start(ap, fmt);
	say(err, old, fmt, ap);
	va_end(ap);
	return err->code;
}

void nt_err_kernel(struct nt_err *err, const char *text)
{
	if (!err)
		return;
	snprintf(err->kernel, sizeof err->kernel, "%s", text ? text : "");
	tame(err->kernel);
}
