/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The rule base: rule files, conditions over facts, and the findings they give. Pure: no
 * system call below nt_judge(). Syntax: nettune-rules(5). */
#ifndef NETTUNE_RULE_H
#define NETTUNE_RULE_H

#include <stdbool.h>
#include <stddef.h>

#include "nettune/err.h"
#include "nettune/fact.h"
#include "nettune/names.h"
#include "nettune/tunable.h"

enum nt_severity { NT_SEV_GOOD, NT_SEV_ADVICE, NT_SEV_WARNING, NT_SEV_PROBLEM, _NT_SEV_MAX };
enum nt_cure {
	NT_CURE_SETTING, NT_CURE_APPLICATION, NT_CURE_KERNEL, NT_CURE_LINK, NT_CURE_PEER,
	NT_CURE_PLATFORM, NT_CURE_NONE, _NT_CURE_MAX
};
enum nt_confidence { NT_CONF_KNOWN, NT_CONF_DERIVED, NT_CONF_MEASURED, _NT_CONF_MAX };
enum nt_goal {
	NT_GOAL_BALANCED, NT_GOAL_THROUGHPUT, NT_GOAL_LATENCY, NT_GOAL_CPU,
	NT_GOAL_FORWARDING, _NT_GOAL_MAX
};
extern const struct nt_name nt_severity_names[], nt_cure_names[], nt_confidence_names[],
	nt_goal_names[];

/* A rule as loaded. Strings are owned by the rule base. */
struct nt_rule {
	const char *id;
	const char *title, *why;
	const char *when; /* the condition's text */
	enum nt_scope_kind scope;
	enum nt_severity severity;
	enum nt_cure cure;
	unsigned goals;	    /* bit 1 << goal; 0: every goal */
	const char *source; /* "M5 M11", blanks between */
	const char *improves, *patches; /* words with blanks between, or "" */
	const char *file;
	int line;
	bool user; /* from the configuration folder */
	struct nt_rule_code *code; /* compiled condition and sets, private */
	unsigned n_examples_yes, n_examples_no;
};

/*
 * Hears of each fault in a rule file, to be shown as "FILE:LINE: REASON"; reason begins with
 * "[rule] " inside a rule. line is 0 where the whole file is meant.
 */
typedef void nt_rule_fault_fn(void *arg, const char *file, int line, const char *reason);

struct nt_rulebase {
	struct nt_rule **v;
	size_t n, cap;
	struct nt_arena arena;
	struct nt_refs *refs; /* every fact some rule names, private */
	/* set before loading: hears, in conditions and changes, of sysctls that no kernel is
	 * known to have; NULL: nobody */
	nt_rule_fault_fn *doubt;
	void *doubt_arg;
};

struct nt_rulebase *nt_rulebase_new(void);
void nt_rulebase_free(struct nt_rulebase *rb);
/*
 * Load a file's rules. A user rule replaces a shipped one of its name; any other name that
 * is already present is refused. Broken rules are told to fault and left out, the others
 * load. Returns the number of faults, or -errno when the file could not be read.
 */
int nt_rulebase_load(struct nt_rulebase *rb, const char *file, bool user,
	nt_rule_fault_fn *fault, void *arg, struct nt_err *err);
/* All *.ini of a folder by name; a folder that does not exist is -ENOENT, a file in it that
 * cannot be read is one fault. */
int nt_rulebase_load_dir(struct nt_rulebase *rb, const char *dir, bool user,
	nt_rule_fault_fn *fault, void *arg, struct nt_err *err);
/* The same from memory; file is what faults are told with. */
int nt_rulebase_load_text(struct nt_rulebase *rb, const char *file, const char *text,
	size_t len, bool user, nt_rule_fault_fn *fault, void *arg, struct nt_err *err);
/* The shipped rules (nt_place_rules()), then those of the configuration's rules.d, which
 * may be missing. Returns as nt_rulebase_load_dir. */
int nt_rulebase_load_default(struct nt_rulebase *rb, nt_rule_fault_fn *fault, void *arg,
	struct nt_err *err);
const struct nt_rule *nt_rulebase_find(const struct nt_rulebase *rb, const char *id);
/* Run every rule's examples; returns how many failed, each told to fault. */
int nt_rulebase_check(const struct nt_rulebase *rb, nt_rule_fault_fn *fault, void *arg);

/* A value of a finding: a fact by value, so that it outlives nothing but the snapshot. */
struct nt_seen {
	const char *name; /* as the rule spells it: "lower.link.speed" */
	const struct nt_scope *scope; /* where it was read */
	const struct nt_fact *fact;   /* in the snapshot */
};

struct nt_change {
	const char *tunable;
	const struct nt_scope *scope; /* link or host */
	const struct nt_tunable *row;
	struct nt_fact from, to; /* to.v.s owned by the findings */
	enum nt_risk risk;
};

struct nt_finding {
	const struct nt_rule *rule;
	const struct nt_scope *scope;
	enum nt_severity severity; /* the rule's; advice where none of its sets is possible */
	enum nt_confidence confidence;
	char *title, *why; /* with {fact} placeholders filled */
	struct nt_seen *seen;
	size_t n_seen, cap_seen;
	struct nt_change *changes;
	size_t n_changes, cap_changes;
};

/* A rule that could not be decided, and the facts it lacks, as the rule spells them. */
struct nt_unknown {
	const struct nt_rule *rule;
	const struct nt_scope *scope;
	struct nt_missing {
		const char *fact, *reason;
	} *missing;
	size_t n_missing, cap_missing;
};

/* Two findings that want different values for one tunable. winner is an index into
 * findings, or -1 where only measurement can settle it. */
struct nt_conflict {
	const char *tunable;
	const struct nt_scope *scope;
	size_t a, b;
	int winner;
};

struct nt_findings {
	struct nt_finding *v; /* worst first, then by link order, then by rule id */
	size_t n, cap;
	struct nt_unknown *unknown;
	size_t n_unknown, cap_unknown;
	struct nt_conflict *conflicts;
	size_t n_conflicts, cap_conflicts;
	unsigned holds; /* rule x scope evaluations that were false, or with nothing to change */
	unsigned not_applicable; /* rules bound to another goal or without a scope to judge,
				    and rule x link where it asks of a lower device or master
				    and there is none */
	struct nt_arena arena;
};

/*
 * Judge a sealed snapshot. Only links with ->interesting are judged. Deterministic: the
 * same snapshot and rules give the same findings in the same order. ret is initialised
 * here; nt_findings_free() it.
 */
void nt_judge(const struct nt_rulebase *rb, const struct nt_snapshot *s, enum nt_goal goal,
	struct nt_findings *ret);
void nt_findings_free(struct nt_findings *f);

/*
 * Whether a fact that was seen says something to people; others a rule only made sure of,
 * or are empty.
 */
bool nt_seen_telling(const struct nt_seen *seen);

/* A command, and the changes that it makes: n of the finding's from first on. */
typedef void nt_command_fn(void *arg, const char *line, size_t first, size_t n);
/*
 * The shell commands for a finding of all, values that go in one request in one command.
 * s is the snapshot that was judged: it completes vectors.
 */
void nt_finding_commands(const struct nt_findings *all, const struct nt_finding *f,
	const struct nt_snapshot *s, nt_command_fn *fn, void *arg);

#endif
