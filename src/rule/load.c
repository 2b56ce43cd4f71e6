/* SPDX-License-Identifier: GPL-2.0-or-later */
/* From a section of a rule file to a compiled rule. */
#include "config.h"

#include "nettune/rule.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "nettune/buf.h"
#include "nettune/ini.h"
#include "code.h"

const struct nt_name nt_severity_names[] = {
	{ "good", NT_SEV_GOOD }, { "advice", NT_SEV_ADVICE }, { "warning", NT_SEV_WARNING },
	{ "problem", NT_SEV_PROBLEM }, { NULL, 0 },
};

const struct nt_name nt_cure_names[] = {
	{ "setting", NT_CURE_SETTING }, { "application", NT_CURE_APPLICATION },
	{ "kernel", NT_CURE_KERNEL }, { "link", NT_CURE_LINK }, { "peer", NT_CURE_PEER },
	{ "platform", NT_CURE_PLATFORM }, { "none", NT_CURE_NONE }, { NULL, 0 },
};

const struct nt_name nt_confidence_names[] = {
	{ "known", NT_CONF_KNOWN }, { "derived", NT_CONF_DERIVED },
	{ "measured", NT_CONF_MEASURED }, { NULL, 0 },
};

const struct nt_name nt_goal_names[] = {
	{ "balanced", NT_GOAL_BALANCED }, { "throughput", NT_GOAL_THROUGHPUT },
	{ "latency", NT_GOAL_LATENCY }, { "cpu", NT_GOAL_CPU },
	{ "forwarding", NT_GOAL_FORWARDING }, { NULL, 0 },
};

static const struct nt_name scope_names[] = {
	{ "host", NT_SCOPE_HOST }, { "link", NT_SCOPE_LINK }, { "path", NT_SCOPE_PATH },
	{ NULL, 0 },
};

/* What a rule may say for itself; "measured" only an experiment can. */
static const struct nt_name claim_names[] = {
	{ "known", NT_CONF_KNOWN }, { "derived", NT_CONF_DERIVED }, { NULL, 0 },
};

static const struct nt_ini_key keys[] = {
	{ .name = "title", .required = true },
	{ .name = "scope", .required = true },
	{ .name = "when", .required = true },
	{ .name = "severity", .required = true },
	{ .name = "cure", .required = true },
	{ .name = "why", .required = true },
	{ .name = "source", .required = true },
	{ .name = "example.yes", .required = true, .numbered = true },
	{ .name = "example.no", .required = true, .numbered = true },
	{ .name = "set", .numbered = true },
	{ .name = "improves" },
	{ .name = "goal" },
	{ .name = "patch" },
	{ .name = "confidence" },
	{ .name = NULL },
};

/* Facts that name the hardware and software at hand and measure nothing. */
static const char *const identity[] = {
	"kernel.version",
	"kernel.upstream",
	"kernel.release",
	"kernel.machine",
	"link.driver",
	"link.driver_version",
	"link.firmware*",
	"link.pci_*",
	"link.kind",
	"link.bus*",
};

struct loading {
	struct nt_rulebase *rb;
	const char *file;
	bool user;
	nt_rule_fault_fn *fault;
	void *arg;
	int faults;
	const struct nt_ini_section *section;
	const struct nt_ini_entry *entry; /* the condition or change that is read */
	struct nt_err err;
	struct nt_expr_ctx ctx;
};

static void tell(struct loading *l, int line, const char *section, const char *reason)
{
	struct nt_buf b = { 0 };

	if (section)
		nt_buf_addf(&b, "[%s] ", section);
	nt_buf_adds(&b, reason);
	l->faults++;
	l->fault(l->arg, l->file, line, nt_buf_str(&b));
	nt_buf_free(&b);
}

static void tell_ini(void *arg, int line, const char *section, const char *reason)
{
	tell(arg, line, section, reason);
}

/* Tell what is in l->err of an entry, at the line that err_pos stands on; -EINVAL. */
static int tell_entry(struct loading *l, const struct nt_ini_entry *e, size_t pos)
{
	struct nt_buf b = { 0 };

	nt_buf_addf(&b, "%s: %s", e->key, l->err.msg);
	tell(l, nt_ini_line(e, pos), l->section->name, nt_buf_str(&b));
	nt_buf_free(&b);
	return -EINVAL;
}

static void doubt(void *arg, size_t pos, const char *name)
{
	struct loading *l = arg;
	struct nt_buf b = { 0 };

	nt_buf_addf(&b, "[%s] %s: no kernel is known to have '%s'", l->section->name,
		l->entry->key, name);
	l->rb->doubt(l->rb->doubt_arg, l->file, nt_ini_line(l->entry, pos), nt_buf_str(&b));
	nt_buf_free(&b);
}

static const struct nt_ini_entry *entry(const struct loading *l, const char *key)
{
	return nt_ini_get(l->section, key);
}

/* A value's text, runs of white space as one blank; "" when the key is not there. */
static const char *squeezed(struct loading *l, const char *key)
{
	const struct nt_ini_entry *e = entry(l, key);
	char *s, *to;

	if (!e)
		return "";
	s = nt_arena_strdup(&l->rb->arena, e->value);
	for (const char *from = to = s; *from; from++) {
		bool blank = *from == ' ' || *from == '\t';

		if (!blank || (to > s && to[-1] != ' '))
			*to++ = blank ? ' ' : *from;
	}
	*to = '\0';
	return s;
}

/* Words with one blank between; commas count as blanks. */
static const char *word_list(struct loading *l, const char *key)
{
	const struct nt_ini_entry *e = entry(l, key);
	struct nt_buf b = { 0 };
	const char *s, *kept;
	size_t len;

	for (s = e ? e->value : ""; *s; s += len) {
		s += strspn(s, " \t,");
		len = strcspn(s, " \t,");
		if (b.len && len)
			nt_buf_addc(&b, ' ');
		nt_buf_add(&b, s, len);
	}
	kept = nt_arena_strdup(&l->rb->arena, nt_buf_str(&b));
	nt_buf_free(&b);
	return kept;
}

static int choice(struct loading *l, const char *key, const struct nt_name *names, int *ret)
{
	const struct nt_ini_entry *e = entry(l, key);
	char *list;

	if (!e)
		return 0;
	*ret = nt_name_value(names, e->value);
	if (*ret >= 0)
		return 0;
	list = nt_name_list(names, ", ");
	nt_err_set(&l->err, -EINVAL, "'%s' is none of %s", e->value, list);
	free(list);
	return tell_entry(l, e, 0);
}

static int goals(struct loading *l, unsigned *ret)
{
	const char *s = word_list(l, "goal");
	char word[32];
	size_t len;
	int goal;

	for (; *s; s += len + (s[len] == ' ')) {
		len = strcspn(s, " ");
		snprintf(word, sizeof word, "%.*s", (int)len, s);
		goal = nt_name_value(nt_goal_names, word);
		if (goal < 0) {
			nt_err_set(&l->err, -EINVAL, "no goal '%s'", word);
			return tell_entry(l, entry(l, "goal"), 0);
		}
		*ret |= 1U << goal;
	}
	return 0;
}

static bool only_identity(const struct nt_refs *refs, const struct nt_node *n)
{
	unsigned i;
	size_t k;

	for (i = 0; i < n->n_args; i++)
		if (!only_identity(refs, n->args[i]))
			return false;
	if (n->kind != NT_N_FACT && n->kind != NT_N_TOTAL)
		return true;
	for (k = 0; k < NT_ARRAY_SIZE(identity); k++)
		if (nt_glob(identity[k], refs->v[n->ref].name))
			return true;
	return false;
}

static int condition(struct loading *l, struct nt_rule_code *code)
{
	const struct nt_ini_entry *e = entry(l, "when");

	l->ctx.err_pos = 0;
	l->entry = e;
	if (nt_expr_parse(&l->ctx, e->value, &code->when) != 0)
		return tell_entry(l, e, l->ctx.err_pos);
	if (code->when->type == NT_V_BOOL || code->when->type == NT_V_ANY)
		return 0;
	nt_err_set(&l->err, -EINVAL, "the condition is neither true nor false");
	return tell_entry(l, e, 0);
}

static bool starts(const char *key, const char *name)
{
	size_t len = strlen(name);

	return strncmp(key, name, len) == 0 && (!key[len] || key[len] == '.');
}

static size_t count(const struct loading *l, const char *name)
{
	size_t i, n = 0;

	for (i = 0; i < l->section->n; i++)
		n += starts(l->section->v[i].key, name);
	return n;
}

static int sets(struct loading *l, struct nt_rule_code *code)
{
	size_t i, n = count(l, "set");
	const struct nt_ini_entry *e;
	int rc = 0;

	code->sets = nt_arena_alloc(&l->rb->arena, n * sizeof *code->sets);
	for (i = 0; i < l->section->n; i++) {
		e = &l->section->v[i];
		if (!starts(e->key, "set"))
			continue;
		l->ctx.err_pos = 0;
		l->entry = e;
		if (nt_set_parse(&l->ctx, e->value, &code->sets[code->n_sets++]) != 0)
			rc = tell_entry(l, e, l->ctx.err_pos);
	}
	return rc;
}

static int examples(struct loading *l, struct nt_rule_code *code, struct nt_rule *r)
{
	size_t i, n = count(l, "example");
	const struct nt_ini_entry *e;
	struct nt_example *x;
	int rc = 0;

	code->examples = nt_arena_alloc(&l->rb->arena, n * sizeof *code->examples);
	for (i = 0; i < l->section->n; i++) {
		e = &l->section->v[i];
		if (!starts(e->key, "example"))
			continue;
		x = &code->examples[code->n_examples++];
		memset(x, 0, sizeof *x);
		x->yes = starts(e->key, "example.yes");
		x->line = e->line;
		x->key = nt_arena_strdup(&l->rb->arena, e->key);
		*(x->yes ? &r->n_examples_yes : &r->n_examples_no) += 1;
		l->ctx.err_pos = 0;
		if (nt_example_parse(&l->ctx, e->value, x) != 0)
			rc = tell_entry(l, e, l->ctx.err_pos);
	}
	return rc;
}

/*
 * Title and why are kept with their white space squeezed. Checked as they stand, for the
 * line of a fault, and as they are kept: a placeholder may hold white space.
 */
static int template(struct loading *l, const char *key, const char **ret)
{
	const struct nt_ini_entry *e = entry(l, key);

	l->ctx.err_pos = 0;
	*ret = squeezed(l, key);
	if (nt_template_check(&l->ctx, e->value) == 0 &&
		nt_template_check(&l->ctx, *ret) == 0)
		return 0;
	return tell_entry(l, e, l->ctx.err_pos);
}

/* All that can be wrong is told, not only the first. */
static int compile(struct loading *l, struct nt_rule *r)
{
	int scope = 0, severity = 0, cure = 0, confidence = -1, rc = 0;
	struct nt_rule_code *code = nt_arena_alloc(&l->rb->arena, sizeof *code);

	memset(code, 0, sizeof *code);
	r->code = code;
	if (choice(l, "scope", scope_names, &scope) != 0)
		return -EINVAL; /* without it the names mean nothing */
	l->ctx = (struct nt_expr_ctx){ .arena = &l->rb->arena, .refs = l->rb->refs,
		.scope = scope, .err = &l->err, .doubt = l->rb->doubt ? doubt : NULL,
		.doubt_arg = l };
	rc |= choice(l, "severity", nt_severity_names, &severity);
	rc |= choice(l, "cure", nt_cure_names, &cure);
	rc |= choice(l, "confidence", claim_names, &confidence);
	rc |= goals(l, &r->goals);
	rc |= condition(l, code);
	rc |= sets(l, code);
	rc |= examples(l, code, r);
	rc |= template(l, "title", &r->title);
	rc |= template(l, "why", &r->why);
	if (rc)
		return -EINVAL;
	if (severity == NT_SEV_GOOD && code->n_sets) {
		nt_err_set(&l->err, -EINVAL, "a rule of severity good changes nothing");
		return tell_entry(l, entry(l, "severity"), 0);
	}
	if (confidence < 0)
		confidence = only_identity(l->rb->refs, code->when) ? NT_CONF_KNOWN :
								      NT_CONF_DERIVED;
	code->confidence = confidence;
	r->scope = scope;
	r->severity = severity;
	r->cure = cure;
	r->when = squeezed(l, "when");
	r->source = word_list(l, "source");
	r->improves = word_list(l, "improves");
	r->patches = word_list(l, "patch");
	return 0;
}

static void add_rule(struct loading *l, struct nt_rule *r)
{
	struct nt_rulebase *rb = l->rb;
	char reason[300];
	size_t i;

	for (i = 0; i < rb->n && strcmp(rb->v[i]->id, r->id) != 0; i++)
		;
	if (i < rb->n && (!l->user || rb->v[i]->user)) {
		snprintf(reason, sizeof reason, "there is a rule of that name at %s:%d",
			rb->v[i]->file, rb->v[i]->line);
		tell(l, r->line, r->id, reason);
		return;
	}
	if (i == rb->n) {
		NT_GROW(rb->v, rb->n, rb->cap);
		rb->n++;
	}
	rb->v[i] = r;
}

static int load(struct nt_rulebase *rb, const char *file, const char *text, size_t len,
	bool user, nt_rule_fault_fn *fault, void *arg, struct nt_err *err)
{
	struct loading l = { .rb = rb, .user = user, .fault = fault, .arg = arg,
		.file = nt_arena_strdup(&rb->arena, file) };
	struct nt_ini ini = { 0 };
	struct nt_rule *r;
	size_t i;
	int rc;

	rc = text ? nt_ini_parse(text, len, keys, tell_ini, &l, &ini, err) :
		    nt_ini_load(file, keys, tell_ini, &l, &ini, err);
	for (i = 0; i < ini.n && rc >= 0; i++) {
		l.section = &ini.v[i];
		if (l.section->broken)
			continue;
		r = nt_arena_alloc(&rb->arena, sizeof *r);
		*r = (struct nt_rule){ .id = nt_arena_strdup(&rb->arena, l.section->name),
			.file = l.file, .line = l.section->line, .user = user };
		if (compile(&l, r) == 0)
			add_rule(&l, r);
	}
	nt_ini_free(&ini);
	return rc < 0 ? rc : l.faults;
}

int nt_rulebase_load(struct nt_rulebase *rb, const char *file, bool user,
	nt_rule_fault_fn *fault, void *arg, struct nt_err *err)
{
	return load(rb, file, NULL, 0, user, fault, arg, err);
}

int nt_rulebase_load_text(struct nt_rulebase *rb, const char *file, const char *text,
	size_t len, bool user, nt_rule_fault_fn *fault, void *arg, struct nt_err *err)
{
	return load(rb, file, text, len, user, fault, arg, err);
}
