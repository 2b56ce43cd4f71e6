/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "fault.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "nettune/mem.h"
#include "nettune/names.h"

static const struct nt_name kinds[] = {
	{ "short", NT_FAULT_SHORT }, { "clamp", NT_FAULT_CLAMP },
	{ "ignore", NT_FAULT_IGNORE }, { "hang", NT_FAULT_HANG },
	{ "device", NT_FAULT_DEVICE }, { "kill", NT_FAULT_KILL },
	{ "killed", NT_FAULT_KILLED }, { NULL, 0 },
};

static const struct nt_name errnos[] = {
	{ "EPERM", EPERM }, { "ENOENT", ENOENT }, { "EINTR", EINTR }, { "EIO", EIO },
	{ "EAGAIN", EAGAIN }, { "ENOMEM", ENOMEM }, { "EACCES", EACCES }, { "EBUSY", EBUSY },
	{ "ENODEV", ENODEV }, { "EINVAL", EINVAL }, { "ENOSPC", ENOSPC }, { "EROFS", EROFS },
	{ "ERANGE", ERANGE }, { "EOPNOTSUPP", EOPNOTSUPP }, { "ETIMEDOUT", ETIMEDOUT },
	{ "ESTALE", ESTALE }, { NULL, 0 },
};

static bool number(const char *s, unsigned long *ret)
{
	char *end;

	if (*s < '0' || *s > '9')
		return false;
	errno = 0;
	*ret = strtoul(s, &end, 10);
	return !errno && !*end;
}

static int errno_of(const char *name)
{
	int e = nt_name_value(errnos, name);

	return e > 0 ? -e : 0;
}

/* OP[/SUBJECT][#N] or N; text is cut up */
static bool parse_where(char *text, struct nt_fault *f)
{
	char *p;

	if (number(text, &f->at))
		return f->at > 0;
	/* a subject may begin with '#': the count is the last one, and all digits */
	p = strrchr(text, '#');
	if (p && p > text && p[-1] != '/' && number(p + 1, &f->nth)) {
		if (!f->nth)
			return false;
		*p = '\0';
	}
	p = strchr(text, '/');
	if (p) {
		*p++ = '\0';
		f->subject = nt_strdup(p);
	}
	f->op = nt_strdup(text);
	return *text;
}

static bool parse_what(char *text, struct nt_fault *f)
{
	char *value = strchr(text, '='), *more = strchr(text, ',');
	unsigned long v;
	int kind;

	if (more)
		*more++ = '\0';
	if (value)
		*value++ = '\0';
	f->code = errno_of(text);
	if (f->code) {
		f->kind = more ? NT_FAULT_DONE : NT_FAULT_ERRNO;
		return !value && (!more || !strcmp(more, "done"));
	}
	kind = nt_name_value(kinds, text);
	if (kind < 0)
		return false;
	f->kind = (enum nt_fault_kind)kind;
	if (f->kind == NT_FAULT_DEVICE) {
		if (!value || !more)
			return false;
		f->device = nt_strdup(value);
		f->code = errno_of(more);
		return f->code;
	}
	if (f->kind == NT_FAULT_CLAMP || f->kind == NT_FAULT_HANG) {
		if (!value || !number(value, &v) || v > INT32_MAX)
			return false;
		f->value = (long)v;
		if (!more)
			return true;
		f->code = errno_of(more);
		return f->kind == NT_FAULT_HANG && f->code;
	}
	return !value && !more;
}

static bool parse_one(char *text, struct nt_faults *ret)
{
	struct nt_fault *f;
	char *what;

	if (!strncmp(text, "log=", 4)) {
		free(ret->log);
		ret->log = nt_strdup(text + 4);
		return true;
	}
	what = strrchr(text, ':');
	if (!what)
		return false;
	*what++ = '\0';
	NT_GROW(ret->v, ret->n, ret->cap);
	f = &ret->v[ret->n++];
	memset(f, 0, sizeof *f);
	return parse_where(text, f) && parse_what(what, f);
}

int nt_faults_parse(const char *spec, struct nt_faults *ret, struct nt_err *err)
{
	char *text = nt_strdup(spec), *part, *next, *shown;
	int r = 0;

	memset(ret, 0, sizeof *ret);
	for (part = text; part && *part && !r; part = next) {
		next = strchr(part, ';');
		if (next)
			*next++ = '\0';
		shown = nt_strdup(part);
		if (!parse_one(part, ret))
			r = nt_err_set(err, -EINVAL, "cannot understand the fault '%s'", shown);
		free(shown);
	}
	free(text);
	if (r)
		nt_faults_free(ret);
	return r;
}

void nt_faults_free(struct nt_faults *f)
{
	size_t i;

	for (i = 0; i < f->n; i++) {
		free(f->v[i].op);
		free(f->v[i].subject);
		free(f->v[i].device);
	}
	free(f->v);
	free(f->log);
	memset(f, 0, sizeof *f);
}
