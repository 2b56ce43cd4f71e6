/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Expressions on a snapshot: three-valued, no system call. Private to rule/. */
#ifndef RULE_EVAL_H
#define RULE_EVAL_H

#include "nettune/rule.h"
#include "expr.h"

/* A reference on this snapshot, its value cached for one scope. */
struct nt_bound {
	unsigned id;	/* of the name in the snapshot; 0: in no scope */
	unsigned group; /* of the name for all of its group, as "feature.*"; 0: in no
			   scope */
	unsigned *ids;	/* a pattern's names */
	size_t n_ids;
	unsigned stamp;	    /* run->now when val was looked up; 0 never */
	unsigned own_stamp; /* run->now when own was found in the judged scope itself */
	const struct nt_fact *own;
	struct nt_val val;
	const struct nt_fact *fact;
	const struct nt_scope *at; /* where the fact was found */
	const char *reason;	   /* why val is not known */
	bool structural;	   /* there is no lower device or master at all */
};

struct nt_lack {
	const char *fact, *reason;
	bool structural;
};

struct nt_run {
	const struct nt_snapshot *s;
	const struct nt_refs *refs;
	struct nt_bound *v; /* one a reference */
	unsigned *ref_of;   /* by a name's id: its plain reference + 1, or 0 */
	const struct nt_scope *scope;
	unsigned now;
	double page_bits;
	/* since nt_run_begin: what was looked at and known, and what was not */
	struct nt_seen *seen;
	size_t n_seen, cap_seen;
	struct nt_lack *lacks;
	size_t n_lacks, cap_lacks;
};

void nt_run_init(struct nt_run *r, const struct nt_refs *refs, const struct nt_snapshot *s);
void nt_run_free(struct nt_run *r);
/* Judge this scope from now on. */
void nt_run_scope(struct nt_run *r, const struct nt_scope *scope);
/* Forget what was seen and lacking. */
void nt_run_begin(struct nt_run *r);

/*
 * The value of a checked tree in the run's scope. Not known: its facts that lack are
 * added to r->lacks (and nothing is, when the value is known). The texts of the value are
 * owned by the snapshot or the rule base.
 */
struct nt_val nt_eval(struct nt_run *r, const struct nt_node *n);

/* x of the unit in bits and seconds, and back. */
double nt_run_to_base(const struct nt_run *r, double x, enum nt_unit unit);
double nt_run_from_base(const struct nt_run *r, double x, enum nt_unit unit);

/* What the run's scope itself has under a plain reference without lower. or master.; or
 * NULL. */
const struct nt_fact *nt_run_own(const struct nt_run *r, unsigned ref);
/* A reference in the run's scope; ->val is NT_V_UNKNOWN with ->reason when it lacks. */
const struct nt_bound *nt_run_get(struct nt_run *r, unsigned ref);

#endif
