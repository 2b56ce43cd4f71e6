/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which kernel.org release the running kernel is. A distribution's release string often
 * ends in a number of its own: Debian's 6.1.0-57-amd64 is 6.1.192, Ubuntu's 5.15.0-101 is
 * 5.15.143, and RHEL's 5.14.0 is no release at all. A range of stable releases holds only
 * where the true number is told.
 */
#include "config.h"

#include "derive.h"

#include <ctype.h>
#include <string.h>

#include "nettune/names.h"

/* Releases whose numbers are kernel.org's while much else is not. */
static const char *const foreign[] = { "*.el[0-9]*", "*-default", "*.lp15*", "*-pve" };

static const char *text(const struct nt_snapshot *s, const char *name)
{
	const struct nt_fact *f = nt_scope_get(s, &s->host, name);

	return f && f->type >= NT_FACT_TEXT && f->type <= NT_FACT_LIST ? f->v.s : NULL;
}

/* "6.1.0-57-amd64" and "3.11-2-amd64": the last number is the distribution's. */
static bool own_number(const char *release, const struct nt_version *v)
{
	const char *p = release + strspn(release, "0123456789.");

	return !v->rc && (v->n < 3 || v->part[2] == 0) && *p == '-' &&
	       isdigit((unsigned char)p[1]);
}

/* "#1 SMP PREEMPT_DYNAMIC Debian 6.1.192-3 (2026-09-30)" */
static bool from_build(const char *build, struct nt_version *ret)
{
	const char *at = build ? strstr(build, "Debian ") : NULL;

	return at && nt_version_parse(at + strlen("Debian "), ret) == 0;
}

/* "Ubuntu 5.15.0-101.111-generic 5.15.143" */
static bool from_signature(const char *signature, struct nt_version *ret)
{
	const char *last = signature ? strrchr(signature, ' ') : NULL;

	return last && nt_version_parse(last + 1, ret) == 0;
}

void nt_derive_kernel(struct nt_snapshot *s)
{
	const char *release = text(s, "kernel.release");
	struct nt_version v;
	char shown[48];
	size_t i;
	bool known;

	known = from_build(text(s, "kernel.build"), &v) ||
		from_signature(text(s, "kernel.signature"), &v);
	if (!known) {
		known = release && nt_version_parse(release, &v) == 0 &&
			!own_number(release, &v);
		for (i = 0; known && i < NT_ARRAY_SIZE(foreign); i++)
			known = !nt_glob(foreign[i], release);
	}
	if (known) {
		nt_version_format(shown, &v);
		nt_fact_text(s, &s->host, NT_FACT_VERSION, "kernel.upstream", shown);
	} else if (release) {
		nt_fact_absent(s, &s->host, "kernel.upstream",
			"a distribution's kernel, whose number does not tell");
	}
}
