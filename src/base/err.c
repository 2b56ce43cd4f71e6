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

int nt_err_set(struct nt_err *err, int code, const char *fmt, ...)
{
	va_list ap;

	if (!err)
		return code;
	nt_err_clear(err);
	err->code = code;
	va_start(ap, fmt);
	vsnprintf(err->msg, sizeof err->msg, fmt, ap);
	va_end(ap);
	tame(err->msg);
	return code;
}

int nt_err_sys(struct nt_err *err, int code, const char *fmt, ...)
{
	size_t len;
	va_list ap;

	if (!err)
		return code;
	nt_err_clear(err);
	err->code = code;
	va_start(ap, fmt);
	vsnprintf(err->msg, sizeof err->msg, fmt, ap);
	va_end(ap);
	len = strlen(err->msg);
	snprintf(err->msg + len, sizeof err->msg - len, ": %s", strerror(-code));
	tame(err->msg);
	return code;
}

int nt_err_prefix(struct nt_err *err, const char *fmt, ...)
{
	char old[sizeof err->msg];
	size_t len;
	va_list ap;

	if (!err)
		return -1;
	memcpy(old, err->msg, sizeof old);
	va_start(ap, fmt);
	vsnprintf(err->msg, sizeof err->msg, fmt, ap);
	va_end(ap);
	len = strlen(err->msg);
	snprintf(err->msg + len, sizeof err->msg - len, ": %s", old);
	tame(err->msg);
	return err->code;
}

void nt_err_kernel(struct nt_err *err, const char *text)
{
	if (!err)
		return;
	snprintf(err->kernel, sizeof err->kernel, "%s", text ? text : "");
	tame(err->kernel);
}
