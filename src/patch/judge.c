/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "nettune/patch.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

const struct nt_name nt_patch_state_names[] = {
	{ "affected", NT_PATCH_AFFECTED },
	{ "likely affected", NT_PATCH_LIKELY },
	{ "can't tell", NT_PATCH_UNKNOWN },
	{ "not affected", NT_PATCH_NOT_AFFECTED },
	{ NULL, 0 },
};

const struct nt_name nt_patch_state_words[] = {
	{ "affected", NT_PATCH_AFFECTED },
	{ "likely", NT_PATCH_LIKELY },
	{ "unknown", NT_PATCH_UNKNOWN },
	{ "not-affected", NT_PATCH_NOT_AFFECTED },
	{ NULL, 0 },
};

static void settle(struct nt_patch_verdict *ret, enum nt_patch_state state,
	const char *fmt, ...) __attribute__((format(printf, 3, 4)));
static void settle(
	struct nt_patch_verdict *ret, enum nt_patch_state state, const char *fmt, ...)
{
	va_list ap;

	ret->state = state;
	va_start(ap, fmt);
	vsnprintf(ret->reason, sizeof ret->reason, fmt, ap);
	va_end(ap);
}

/* How many numbers name a stable series: 3.10.y, but 2.6.18.y. */
static int series_parts(const struct nt_version *v)
{
	return v->part[0] == 2 && v->part[1] == 6 ? 3 : 2;
}

static bool same_series(const struct nt_version *a, const struct nt_version *b)
{
	return memcmp(a->part, b->part, series_parts(a) * sizeof *a->part) == 0;
}

/* The version with the fix that v has: its own series', else the mainline release. */
static const struct nt_version *fixed_by(
	const struct nt_patch *p, const struct nt_version *v)
{
	const struct nt_version *f, *mainline = NULL;
	size_t i;

	for (i = 0; i < p->n_fixed; i++) {
		f = &p->fixed[i];
		if (nt_version_cmp(v, f) < 0)
			continue;
		if (same_series(f, v))
			return f;
		if (!mainline && f->n <= series_parts(f))
			mainline = f;
	}
	return mainline;
}

/* Where the fault begins as v sees it: in its own series if there, else at all. */
static const struct nt_version *began(
	const struct nt_patch *p, const struct nt_version *v)
{
	const struct nt_version *first = NULL;
	size_t i;

	for (i = 0; i < p->n_affected; i++) {
		if (same_series(&p->affected[i].first, v))
			return &p->affected[i].first;
		if (!first || nt_version_cmp(&p->affected[i].first, first) < 0)
			first = &p->affected[i].first;
	}
	return first;
}

static bool affected(const struct nt_patch *p, const struct nt_version *v)
{
	size_t i;

	for (i = 0; i < p->n_affected; i++)
		if (nt_version_in(v, &p->affected[i].first, &p->affected[i].last))
			return true;
	return false;
}

void nt_patch_judge_version(const struct nt_patch *p, const struct nt_version *v,
	struct nt_patch_verdict *ret)
{
	const struct nt_version *f = fixed_by(p, v), *first = began(p, v);
	char text[48], mine[48];
	size_t i;

	nt_version_format(mine, v);
	if (f) {
		nt_version_format(text, f);
		settle(ret, NT_PATCH_NOT_AFFECTED, "fixed in %s", text);
		return;
	}
	for (i = 0; i < p->n_checked; i++) {
		if (!same_series(&p->checked[i], v) ||
			nt_version_cmp(v, &p->checked[i]) <= 0)
			continue;
		nt_version_format(text, &p->checked[i]);
		settle(ret, NT_PATCH_UNKNOWN,
			"%s, the last of its series looked at, had the fault", text);
		return;
	}
	if (affected(p, v)) {
		settle(ret, NT_PATCH_LIKELY,
			"the version says so, vendor kernels differ");
	} else if (first && nt_version_cmp(v, first) < 0) {
		nt_version_format(text, first);
		settle(ret, NT_PATCH_NOT_AFFECTED, "the fault came with %s", text);
	} else {
		settle(ret, NT_PATCH_UNKNOWN,
			"%s is neither known to be affected nor to be fixed", mine);
	}
}

static bool names(char *const *globs, const char *driver)
{
	size_t i;

	for (i = 0; globs[i]; i++)
		if (nt_glob(globs[i], driver))
			return true;
	return false;
}

/* Whether a link has the driver. *ret_unsure when a link's driver is not known. */
static bool find_driver(
	const struct nt_patch *p, const struct nt_snapshot *s, bool *ret_unsure)
{
	const struct nt_fact *f;
	size_t i;

	*ret_unsure = s->n_links == 0;
	for (i = 0; i < s->n_links; i++) {
		f = nt_scope_get(s, s->links[i], "link.driver");
		if (f && f->type == NT_FACT_TEXT && names(p->drivers, f->v.s))
			return true;
		if ((!f || f->type == NT_FACT_ABSENT) && s->links[i]->interesting)
			*ret_unsure = true;
	}
	return false;
}

/* 1, 0, or -1 when the snapshot does not say. */
static int has_symbol(const struct nt_snapshot *s, const char *symbol)
{
	const struct nt_fact *f;
	char *name;

	if (!symbol)
		return -1;
	name = nt_asprintf("kernel.symbol.%s", symbol);
	f = nt_scope_get(s, &s->host, name);
	free(name);
	return f && f->type == NT_FACT_BOOL ? f->v.i != 0 : -1;
}

/* The largest measured completion delay in us; 0 when none was. */
static double measured_delay(const struct nt_snapshot *s)
{
	const struct nt_fact *f;
	double worst = 0, us;
	size_t i;

	for (i = 0; i < s->n_paths; i++) {
		f = nt_scope_get(s, s->paths[i], "probe.tx_completion");
		if (!f || (f->type != NT_FACT_REAL && f->type != NT_FACT_INT) ||
			nt_unit_convert(f->type == NT_FACT_REAL ? f->v.r : (double)f->v.i,
				f->unit, NT_UNIT_US, &us) != 0)
			continue;
		if (us > worst)
			worst = us;
	}
	return worst;
}

/* True when machine or driver settle it. */
static bool not_this_host(const struct nt_patch *p, const struct nt_snapshot *s,
	struct nt_patch_verdict *ret)
{
	const char *machine = nt_scope_text(s, &s->host, "kernel.machine");
	bool unsure;

	if (p->machine && machine && !nt_glob(p->machine, machine)) {
		settle(ret, NT_PATCH_NOT_AFFECTED,
			"concerns machines named %s, this is %s", p->machine, machine);
		return true;
	}
	if (!p->drivers[0] || find_driver(p, s, &unsure))
		return false;
	if (unsure)
		settle(ret, NT_PATCH_UNKNOWN, "the driver of a link is not known");
	else
		settle(ret, NT_PATCH_NOT_AFFECTED, "no link here has the driver %s",
			p->drivers[0]);
	return true;
}

/* The mainline release with the fix: what a distribution builds on later has it too. */
static bool fixed_in_mainline(const struct nt_patch *p, const struct nt_version *v)
{
	const struct nt_version *f = fixed_by(p, v);

	return f && f->n <= series_parts(f);
}

/* What the kernel's number says, and whether it is kernel.org's. */
static void judge_release(const struct nt_patch *p, const struct nt_snapshot *s,
	struct nt_patch_verdict *ret)
{
	const struct nt_fact *kernel = nt_scope_get(s, &s->host, "kernel.version");
	const struct nt_fact *upstream = nt_scope_get(s, &s->host, "kernel.upstream");
	const char *release = nt_scope_text(s, &s->host, "kernel.upstream");
	struct nt_version v;

	if (!release)
		release = nt_scope_text(s, &s->host, "kernel.version");
	if (!release || nt_version_parse(release, &v) != 0) {
		settle(ret, NT_PATCH_UNKNOWN, "the kernel's version is not known%s%s",
			kernel && kernel->type == NT_FACT_ABSENT ? ": " : "",
			kernel && kernel->type == NT_FACT_ABSENT ? kernel->v.s : "");
		return;
	}
	nt_patch_judge_version(p, &v, ret);
	if (upstream && upstream->type == NT_FACT_ABSENT && !fixed_in_mainline(p, &v))
		settle(ret, NT_PATCH_UNKNOWN, "%s", upstream->v.s);
}

void nt_patch_judge(const struct nt_patch *p, const struct nt_snapshot *s,
	struct nt_patch_verdict *ret)
{
	double delay = p->delay_us > 0 ? measured_delay(s) : 0;
	int symbol = has_symbol(s, p->symbol);
	char text[48];

	if (symbol == 1) {
		settle(ret, NT_PATCH_AFFECTED, "the kernel has the symbol %s", p->symbol);
		return;
	}
	if (not_this_host(p, s, ret))
		return;
	if (symbol == 0) {
		settle(ret, NT_PATCH_NOT_AFFECTED, "the kernel has no symbol %s",
			p->symbol);
		return;
	}
	if (has_symbol(s, p->unless) == 1) {
		settle(ret, NT_PATCH_NOT_AFFECTED, "the kernel has the symbol %s",
			p->unless);
		return;
	}
	judge_release(p, s, ret);
	if (ret->state == NT_PATCH_LIKELY && p->delay_us > 0 && delay >= p->delay_us) {
		nt_unit_format(text, sizeof text, delay, NT_UNIT_US);
		settle(ret, NT_PATCH_AFFECTED,
			"the version has the fault, and sent frames are freed %s late",
			text);
	}
}

void nt_patch_format_versions(struct nt_buf *out, const struct nt_version *v, size_t n)
{
	char text[48];
	size_t i;

	for (i = 0; i < n; i++) {
		nt_version_format(text, &v[i]);
		nt_buf_addf(out, "%s%s", i ? ", " : "", text);
	}
}

void nt_patch_format_affected(struct nt_buf *out, const struct nt_patch *p)
{
	char first[48], last[48];
	size_t i;

	for (i = 0; i < p->n_affected; i++) {
		nt_version_format(first, &p->affected[i].first);
		nt_version_format(last, &p->affected[i].last);
		nt_buf_addf(out, "%s%s", i ? ", " : "", first);
		if (strcmp(first, last) != 0)
			nt_buf_addf(out, "..%s", last);
	}
}
