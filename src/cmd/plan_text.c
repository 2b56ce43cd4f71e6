/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "plan_text.h"

#include <langinfo.h>
#include <string.h>

#include "nettune/cells.h"
#include "nettune/jsonw.h"
#include "nettune/mem.h"

static const char *arrow(void)
{
	return strcmp(nl_langinfo(CODESET), "UTF-8") == 0 ? "\u2192" : "->";
}

static const char *shown_link(const char *link, char *ret, size_t size)
{
	nt_printable(ret, size, *link ? link : "-");
	return ret;
}

/* "ring.rx of eth0", "sysctl.net.core.somaxconn". */
static const char *subject(const char *tunable, const char *link, char *ret, size_t size)
{
	char text[400];

	if (*link)
		snprintf(text, sizeof text, "%s of %s", tunable, link);
	else
		snprintf(text, sizeof text, "%s", tunable);
	nt_printable(ret, size, text);
	return ret;
}

/* A value: of a plan that somebody wrote it may hold anything. */
static const char *value(const struct nt_fact *f, char *ret, size_t size)
{
	char raw[256];

	nt_fact_format(raw, sizeof raw, f);
	nt_printable(ret, size, raw);
	return ret;
}

static void print_command(void *arg, const char *line)
{
	char shown[1024];

	(void)arg;
	nt_printable(shown, sizeof shown, line);
	printf("  %s\n", shown);
}

enum column { COL_TUNABLE, COL_LINK, COL_NOW, COL_NEW, COL_RISK, _COL_MAX };

struct row {
	char cell[_COL_MAX][400];
};

static void fill_row(struct row *r, const struct nt_step *st)
{
	subject(st->tunable, "", r->cell[COL_TUNABLE], sizeof r->cell[0]);
	shown_link(st->link, r->cell[COL_LINK], sizeof r->cell[0]);
	if (st->from.type == NT_FACT_ABSENT)
		snprintf(r->cell[COL_NOW], sizeof r->cell[0], "?");
	else
		value(&st->from, r->cell[COL_NOW], sizeof r->cell[0]);
	value(&st->to, r->cell[COL_NEW], sizeof r->cell[0]);
	snprintf(r->cell[COL_RISK], sizeof r->cell[0], "%s", nt_name_of(nt_risk_names, st->risk));
}

static void print_row(const struct row *r, const int width[_COL_MAX], const char *rule)
{
	int c;

	for (c = 0; c < _COL_MAX; c++)
		printf("  %-*s", nt_field(r->cell[c], width[c]), r->cell[c]);
	printf("  %s\n", rule);
}

static void print_table(const struct nt_plan *p)
{
	static const struct row head = { { "TUNABLE", "LINK", "NOW", "NEW", "RISK" } };
	int width[_COL_MAX] = { 7, 4, 10, 10, 7 }, c;
	char rule[256];
	struct row r;
	size_t i;

	for (i = 0; i < p->n; i++) {
		if (!p->v[i].selected)
			continue;
		fill_row(&r, &p->v[i]);
		for (c = 0; c < _COL_MAX; c++)
			width[c] = nt_cells(r.cell[c]) > width[c] ? nt_cells(r.cell[c]) : width[c];
	}
	print_row(&head, width, "RULE");
	for (i = 0; i < p->n; i++) {
		if (!p->v[i].selected)
			continue;
		fill_row(&r, &p->v[i]);
		nt_printable(rule, sizeof rule, p->v[i].rule);
		print_row(&r, width, rule);
	}
}

void nt_print_plan(const struct nt_plan *p, const struct nt_snapshot *s)
{
	size_t n = nt_plan_selected(p), i;
	char text[400], to[256], rule[256], why[512];
	bool head = false;

	if (n) {
		printf("Plan: %zu change%s, nothing has been changed yet\n", n, n == 1 ? "" : "s");
		print_table(p);
		printf("By hand:\n");
		nt_plan_commands(p, s, print_command, NULL);
	} else {
		printf("Nothing to change.\n");
	}
	for (i = 0; i < p->n; i++) {
		const struct nt_step *st = &p->v[i];

		if (st->selected)
			continue;
		if (!head)
			printf("Left out:\n");
		head = true;
		nt_printable(rule, sizeof rule, st->rule);
		nt_printable(why, sizeof why, st->left_out);
		printf("  %s %s %s (%s): %s\n",
			subject(st->tunable, st->link, text, sizeof text), arrow(),
			value(&st->to, to, sizeof to), rule, why);
	}
}

void nt_print_step(const struct nt_step *st)
{
	static const char *const marks[_NT_OUT_MAX] = { [NT_OUT_WAITING] = "...",
		[NT_OUT_SAME] = "same", [NT_OUT_DONE] = "done", [NT_OUT_CLAMPED] = "CLAMPED",
		[NT_OUT_FAILED] = "FAILED", [NT_OUT_UNDONE] = "undone" };
	char text[400], from[256], to[256], got[256], why[512];

	value(&st->from, from, sizeof from);
	value(&st->to, to, sizeof to);
	nt_printable(got, sizeof got, st->got ? st->got : "");
	printf("  %-7s  %s: %s %s %s", marks[st->outcome],
		subject(st->tunable, st->link, text, sizeof text),
		st->from.type == NT_FACT_ABSENT ? "?" : from, arrow(),
		st->got && st->outcome != NT_OUT_FAILED ? got : to);
	if (st->outcome == NT_OUT_CLAMPED)
		printf(" (asked for %s: the driver took another value)", to);
	if (st->outcome == NT_OUT_SAME)
		printf(" (so already)");
	if (st->outcome == NT_OUT_FAILED && st->error) {
		nt_printable(why, sizeof why, st->error);
		printf("\n           %s", why);
	}
	if (st->outcome == NT_OUT_FAILED && st->kernel) {
		nt_printable(why, sizeof why, st->kernel);
		printf("\n           the kernel says: %s", why);
	}
	putchar('\n');
}

/* What puts back an address, a route, a qdisc's options is for the program alone. */
static const char *shown_value(const char *key, const char *val, char *ret, size_t size)
{
	if (!val)
		snprintf(ret, size, "none");
	else if (strncmp(key, "addr ", 5) == 0 || strncmp(key, "route ", 6) == 0)
		snprintf(ret, size, "there");
	else if (strcmp(key, "qdisc.root") == 0)
		snprintf(ret, size, "%.*s", (int)strcspn(val, " "), val);
	else
		nt_printable(ret, size, val);
	return ret;
}

void nt_print_sides(const struct nt_change_result *r)
{
	char text[400], from[256], to[256];
	size_t i;

	if (r->n_side)
		printf("Moved with it, and put back by a rollback:\n");
	for (i = 0; i < r->n_side; i++)
		printf("  %s: %s %s %s\n",
			subject(r->side[i].key, r->side[i].link, text, sizeof text),
			shown_value(r->side[i].key, r->side[i].from, from, sizeof from), arrow(),
			shown_value(r->side[i].key, r->side[i].to, to, sizeof to));
}

void nt_print_undo(const struct nt_change_result *r)
{
	char text[400], why[640], now[256], before[256];
	size_t i;

	for (i = 0; i < r->n_undo; i++) {
		const struct nt_undo_item *it = &r->undo[i];

		printf("  %-13s  %s: ", nt_name_of(nt_undo_names, it->state),
			subject(it->key, it->link, text, sizeof text));
		shown_value(it->key, it->now, now, sizeof now);
		shown_value(it->key, it->before, before, sizeof before);
		if (it->state == NT_UNDO_RESTORED)
			printf("%s %s %s", now, arrow(), before);
		else
			printf("was %s, is %s", before, now);
		if (it->why) {
			nt_printable(why, sizeof why, it->why);
			printf(" (%s)", why);
		}
		putchar('\n');
	}
}

static void write_fact(struct nt_jsonw *w, const char *key, const struct nt_fact *f)
{
	if (f->type == NT_FACT_INT)
		nt_jsonw_int(w, key, f->v.i);
	else if (f->type == NT_FACT_SWITCH)
		nt_jsonw_str(w, key, f->v.i ? "on" : "off");
	else if (f->type == NT_FACT_ABSENT)
		nt_jsonw_null(w, key);
	else
		nt_jsonw_str(w, key, f->v.s);
}

static const char *or_null(const char *link)
{
	return *link ? link : NULL;
}

int nt_write_result(const struct nt_plan *p, const struct nt_change_result *r,
	unsigned confirm_s, const struct nt_err *err, FILE *out)
{
	struct nt_jsonw w;
	size_t i;

	nt_jsonw_begin(&w, out, 2, "nettune-apply/1");
	nt_jsonw_str(&w, "version", PACKAGE_VERSION);
	if (r->id)
		nt_jsonw_int(&w, "change_set", r->id);
	else
		nt_jsonw_null(&w, "change_set");
	nt_jsonw_bool(&w, "changed", r->changed);
	nt_jsonw_bool(&w, "undone", r->undone);
	if (confirm_s && !err && r->id)
		nt_jsonw_int(&w, "confirm_seconds", confirm_s);
	else
		nt_jsonw_null(&w, "confirm_seconds");
	nt_jsonw_str(&w, "error", err ? err->msg : NULL);
	nt_jsonw_str(&w, "kernel", err && *err->kernel ? err->kernel : NULL);
	nt_jsonw_array(&w, "steps");
	for (i = 0; i < p->n; i++) {
		const struct nt_step *st = &p->v[i];

		nt_jsonw_object(&w, NULL);
		nt_jsonw_str(&w, "tunable", st->tunable);
		nt_jsonw_str(&w, "link", or_null(st->link));
		write_fact(&w, "from", &st->from);
		write_fact(&w, "to", &st->to);
		nt_jsonw_str(&w, "risk", nt_name_of(nt_risk_names, st->risk));
		nt_jsonw_str(&w, "rule", st->rule);
		nt_jsonw_str(&w, "left_out", st->left_out);
		nt_jsonw_str(&w, "outcome",
			st->selected || st->outcome ? nt_name_of(nt_outcome_names, st->outcome)
						    : NULL);
		nt_jsonw_str(&w, "got", st->got);
		nt_jsonw_str(&w, "error", st->error);
		nt_jsonw_str(&w, "kernel", st->kernel);
		nt_jsonw_end(&w);
	}
	nt_jsonw_end(&w);
	nt_jsonw_array(&w, "side_effects");
	for (i = 0; i < r->n_side; i++) {
		nt_jsonw_object(&w, NULL);
		nt_jsonw_str(&w, "value", r->side[i].key);
		nt_jsonw_str(&w, "link", or_null(r->side[i].link));
		nt_jsonw_str(&w, "from", r->side[i].from);
		nt_jsonw_str(&w, "to", r->side[i].to);
		nt_jsonw_end(&w);
	}
	nt_jsonw_end(&w);
	nt_jsonw_array(&w, "undo");
	for (i = 0; i < r->n_undo; i++) {
		nt_jsonw_object(&w, NULL);
		nt_jsonw_str(&w, "value", r->undo[i].key);
		nt_jsonw_str(&w, "link", or_null(r->undo[i].link));
		nt_jsonw_str(&w, "before", r->undo[i].before);
		nt_jsonw_str(&w, "found", r->undo[i].now);
		nt_jsonw_str(&w, "state", nt_name_of(nt_undo_names, r->undo[i].state));
		nt_jsonw_str(&w, "why", r->undo[i].why);
		nt_jsonw_end(&w);
	}
	nt_jsonw_end(&w);
	nt_jsonw_end(&w);
	return nt_jsonw_finish(&w);
}
