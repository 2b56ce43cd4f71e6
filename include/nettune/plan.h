/* SPDX-License-Identifier: GPL-2.0-or-later */
/* From findings to ordered changes. A dry run is nothing but showing the plan. */
#ifndef NETTUNE_PLAN_H
#define NETTUNE_PLAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "nettune/err.h"
#include "nettune/rule.h"
#include "nettune/tunable.h"

struct nt_sys;

enum nt_outcome {
	NT_OUT_WAITING,
	NT_OUT_SAME,	/* it was so already, or an earlier step made it so */
	NT_OUT_DONE,
	NT_OUT_CLAMPED, /* the driver took another value: see got */
	NT_OUT_FAILED,	/* refused, or taken without effect: see error */
	NT_OUT_UNDONE,	/* done, then undone because of a later failure */
	_NT_OUT_MAX
};
extern const struct nt_name nt_outcome_names[];

struct nt_step {
	const char *tunable;
	const char *link; /* "" for the host */
	const struct nt_tunable *row;
	struct nt_fact from, to;
	enum nt_risk risk;
	const char *rule; /* id */
	unsigned depth; /* how many links lie below its own, as far as the plan's maker knew */
	bool selected;
	const char *left_out; /* why not selected: "needs --risk link"; NULL when selected */
	/* filled by nt_apply(); text owned by the plan */
	enum nt_outcome outcome;
	const char *got;    /* the value read back, or NULL */
	const char *error;  /* one line, or NULL */
	const char *kernel; /* the kernel's own words, or NULL */
};

struct nt_plan {
	struct nt_step *v;
	size_t n, cap;
	struct nt_arena arena;
};

struct nt_plan_opts {
	const char *const *only, *const *skip; /* NULL or NULL-terminated rule ids */
	enum nt_risk risk; /* steps above it are left out, and say so */
};

/*
 * The plan of the findings: changes of problems and warnings; of advice only when named in
 * only. The loser of a settled conflict is left out, both sides of an open one. Ordered so
 * that a later step cannot undo an earlier one: per link features last, riskier first.
 */
void nt_plan_make(const struct nt_findings *f, const struct nt_snapshot *s,
	const struct nt_plan_opts *opts, struct nt_plan *ret);
void nt_plan_free(struct nt_plan *p);

/*
 * Write p as JSON of the schema nettune-plan/1 (schema/nettune-plan-1.json), with each
 * step's command; s (NULL allowed) completes vectors. 0 or -errno of the stream.
 */
int nt_plan_write(const struct nt_plan *p, const struct nt_snapshot *s, FILE *out);
/*
 * Read such JSON. Strict: a key, a tunable or a value that is not understood is -EINVAL,
 * with err saying where. ret is initialised here and empty on failure.
 */
int nt_plan_read(const char *json, size_t len, struct nt_plan *ret, struct nt_err *err);

/*
 * The commands of the selected steps, in order, those that join as one; each told to fn.
 */
void nt_plan_commands(const struct nt_plan *p, const struct nt_snapshot *s, nt_note_fn *fn,
	void *arg);

/* How many steps are selected. */
size_t nt_plan_selected(const struct nt_plan *p);
/* The step for tunable of link ("" host), the first of several; NULL when there is none. */
struct nt_step *nt_plan_step(struct nt_plan *p, const char *tunable, const char *link);
/* Append a selected step; everything is copied. Valid until the next addition. */
struct nt_step *nt_plan_add(struct nt_plan *p, const char *tunable, const char *link,
	const struct nt_fact *from, const struct nt_fact *to, const char *rule);
/* Deselect, with the reason why + subject; an earlier reason stays. */
void nt_plan_leave_out(struct nt_plan *p, struct nt_step *st, const char *why,
	const char *subject);
/* Deselect what --only, --skip and --risk leave out. */
void nt_plan_limit(struct nt_plan *p, const struct nt_plan_opts *opts);
/* Put the steps into the order in which they are to be done. */
void nt_plan_order(struct nt_plan *p);
/* A copy of f whose text lives as long as the plan. */
struct nt_fact nt_plan_fact(struct nt_plan *p, const struct nt_fact *f);


/*
 * Leave out, each with its reason, the steps that this host can't or must not take: what the
 * driver does not offer or has fixed, global values from inside a network namespace, values
 * out of range, an MTU below 1280 on a link with IPv6, a root qdisc with others inside, what
 * a driver is known (from state_dir's journals; NULL: none) to have clamped before. Steps
 * whose value is there already get the outcome NT_OUT_SAME and are left out too. -errno
 * when the host can't be read.
 */
int nt_plan_check(struct nt_sys *s, struct nt_plan *p, const char *state_dir,
	struct nt_err *err);

/* ---- applying and undoing ---------------------------------------------------------- */

enum nt_undo_state {
	NT_UNDO_RESTORED,
	NT_UNDO_FOREIGN, /* somebody else changed it since: left alone */
	NT_UNDO_FAILED,
	NT_UNDO_GONE, /* its link has gone */
	_NT_UNDO_MAX
};
extern const struct nt_name nt_undo_names[];

/* A value that an undo met. */
struct nt_undo_item {
	const char *link, *key;	     /* "" for the host; the tunable's name, or "route ..." */
	const char *before, *now;    /* now: as found; NULL none */
	enum nt_undo_state state;
	const char *why; /* NT_UNDO_FAILED and others: one line */
};

/* A value that moved although no step asked for it. */
struct nt_side {
	const char *link, *key, *from, *to; /* NULL: there was or is none */
};

struct nt_change_result {
	unsigned id;	 /* of the change set; 0 when none was begun */
	bool changed;	 /* the host is not as it was before the call */
	bool undone;	 /* an undo was done, see undo */
	unsigned n_left; /* values that the undo could not put back */
	struct nt_undo_item *undo;
	size_t n_undo, cap_undo;
	struct nt_side *side;
	size_t n_side, cap_side;
	char note[200]; /* a weakness of the guardian, "" none */
	struct nt_arena arena;
};
void nt_change_result_free(struct nt_change_result *r);

struct nt_apply_opts {
	const char *state_dir;
	unsigned confirm_s;    /* 0: none; else undone after so many seconds unless kept */
	const char *ping_host; /* NULL, or tested before and after each risky step */
	/* asked between steps: true stops and undoes; may be NULL */
	bool (*stop)(void *arg);
	/* hears of each step before it is done (outcome NT_OUT_WAITING) and after; may be NULL */
	void (*step)(void *arg, const struct nt_step *st);
	void *arg;
};

/*
 * Do the selected steps of p. 0: done, or nothing to do (ret->changed tells). -errno: a step
 * failed or was stopped, and everything was undone, ret->n_left values but. Nothing is
 * changed when a value is not what the plan says it is (-ESTALE), when a change set was left
 * unfinished or waits to be kept (-EBUSY), or when the journal can't be written.
 * ret is initialised here; nt_change_result_free() it whatever is returned.
 */
int nt_apply(struct nt_sys *s, struct nt_plan *p, const struct nt_apply_opts *opts,
	struct nt_change_result *ret, struct nt_err *err);

/*
 * Undo change set id, or the newest that is not undone when id is 0. 0; -ENOENT when there
 * is none; -ESTALE when it is of another boot or network namespace: nothing is changed then;
 * -EUCLEAN when some values could not be put back, see ret->undo.
 */
int nt_rollback(struct nt_sys *s, const char *state_dir, unsigned id,
	struct nt_change_result *ret, struct nt_err *err);

/* Keep the change set that waits for it; *ret_id its number. -ENOENT when none waits. */
int nt_keep(struct nt_sys *s, const char *state_dir, unsigned *ret_id, struct nt_err *err);

/*
 * What the guardian does: wait for the change set to be kept, for its time to run out, or
 * for the process that applies it to die; undo it in the latter cases. Returns as
 * nt_rollback(), 0 when it was kept.
 */
int nt_guard(struct nt_sys *s, const char *state_dir, unsigned id,
	struct nt_change_result *ret, struct nt_err *err);

enum nt_set_status {
	NT_SET_OPEN,	/* left unfinished: a rollback restores the host */
	NT_SET_PENDING, /* waits to be kept */
	NT_SET_KEPT,	/* in force */
	NT_SET_UNDONE,
	NT_SET_PARTLY, /* undone, but for some values */
	NT_SET_GONE,   /* of an earlier boot */
	_NT_SET_MAX
};
extern const struct nt_name nt_set_status_names[];

/* A change set for lists. Strings are owned by the history. */
struct nt_history_step {
	const char *tunable, *link, *from, *to, *got, *rule; /* got NULL: never done */
};
struct nt_history_item {
	unsigned id;
	int64_t time;
	enum nt_set_status status;
	bool here;	   /* of this network namespace */
	double confirm_s;  /* PENDING: seconds left */
	const char *fault; /* why the journal can't be read, NULL: it can */
	struct nt_history_step *steps;
	size_t n_steps;
};
struct nt_history {
	struct nt_history_item *v; /* newest first */
	size_t n, cap;
	struct nt_arena arena;
};
int nt_history_load(struct nt_sys *s, const char *state_dir, struct nt_history *ret,
	struct nt_err *err);
void nt_history_free(struct nt_history *h);

/*
 * Tell, a line each, which running programs and which files of this host also write what
 * the selected steps change: tuned, bpftune, irqbalance, NetworkManager, systemd-networkd,
 * .link files, sysctl.d.
 */
void nt_managers(struct nt_sys *s, const struct nt_plan *p, nt_note_fn *note, void *arg);

#endif
