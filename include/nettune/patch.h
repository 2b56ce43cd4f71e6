/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Kernel faults that a setting can only soften, and the semantic patches (Coccinelle)
 * that cure them: the catalogue (patches/catalogue.ini), which of them concern a host,
 * and what each makes of a kernel tree. Nothing here prints; spatch, diff and git are run
 * as programs.
 */
#ifndef NETTUNE_PATCH_H
#define NETTUNE_PATCH_H

#include <stdbool.h>
#include <stddef.h>
#include <time.h>

#include "nettune/buf.h"
#include "nettune/err.h"
#include "nettune/fact.h"
#include "nettune/mem.h"
#include "nettune/names.h"
#include "nettune/version.h"

#define NT_PATCH_FILES_MAX 16 /* of one patch */

/* ---- catalogue ------------------------------------------------------------------- */

struct nt_version_range {
	struct nt_version first, last; /* nt_version_in() says what they hold */
};

/* An entry. Strings and arrays are owned by the catalogue; optional strings are NULL. */
struct nt_patch {
	const char *id, *title;
	const char *subject;  /* of the mail; NULL where replaced is set */
	const char *why;      /* the fault, in sentences */
	const char *does;     /* what the change does */
	const char *limits;   /* what it does not do; optional */
	const char *figures;  /* measured by others; optional */
	const char *see;      /* how to see on a running host whether it applies */
	const char *sources;  /* ids of FINDINGS and sections of KERNEL, blanks between */
	const char *commit;   /* upstream's fix: id and title; optional */
	const char *fixes;    /* the commit at fault: id and title; optional */
	const char *evidence; /* where the version ranges come from */
	const char *licence;
	const char *replaced; /* why there is no patch, and what to do today; optional */
	const char *cocci;    /* path of the semantic patch; NULL where replaced is set */
	char **drivers;	      /* globs over link.driver; none: no driver's fault */
	const char *machine;  /* glob over kernel.machine; optional */
	const char *symbol;   /* kernel symbol that only the faulty code has; optional */
	const char *unless;   /* kernel symbol that code with the fault lacks; optional */
	double delay_us; /* a probe.tx_completion from here up shows it; 0 for none */
	char **files;	 /* in the tree; "a|b" for the one of a and b that exists */
	char **parts;	 /* names of the pieces of code it looks for, spatch -D */
	char **needs;	 /* ids that belong beside it, NULL-terminated as the others */
	char **after;	 /* ids that come first where both are asked for */
	char **excludes; /* ids that it cannot be together with */
	struct nt_version_range *affected;
	size_t n_affected;
	struct nt_version *fixed, *fits, *checked; /* first without the fault; seen to
			fit; last of its series looked at, still faulty */
	size_t n_fixed, n_fits, n_checked;
	int line; /* in the catalogue */
};

struct nt_patches {
	struct nt_patch *v; /* in file order */
	size_t n, cap;
	char *dir;
	struct nt_arena arena;
};

/* Hears of each fault in the catalogue; section may be NULL. */
typedef void nt_patch_fault_fn(
	void *arg, int line, const char *section, const char *reason);

/*
 * Read DIR/catalogue.ini. Broken entries are told to fault and left out. Returns the
 * number of faults or -errno. ret is initialised here; nt_patches_free() it in any case.
 */
int nt_patches_load(struct nt_patches *ret, const char *dir, nt_patch_fault_fn *fault,
	void *arg, struct nt_err *err);
/* The same from memory; dir is where the semantic patches would be. */
int nt_patches_parse(struct nt_patches *ret, const char *text, size_t len,
	const char *dir, nt_patch_fault_fn *fault, void *arg, struct nt_err *err);
void nt_patches_free(struct nt_patches *p);
const struct nt_patch *nt_patches_find(const struct nt_patches *p, const char *id);

/*
 * The patches named by ids (NULL-terminated), with those they need, each once, in the
 * order to apply them: NULL-terminated, the caller frees. NULL with err set for an
 * unknown id (-ENOENT), two that exclude each other or one that never became a patch
 * (-EINVAL).
 */
const struct nt_patch **nt_patches_order(
	const struct nt_patches *p, char *const *ids, struct nt_err *err);

/* ---- versions and hosts ------------------------------------------------------------ */

enum nt_patch_state {
	NT_PATCH_AFFECTED, /* seen on the host itself */
	NT_PATCH_LIKELY,   /* the version says so; vendor kernels differ */
	NT_PATCH_UNKNOWN,
	NT_PATCH_NOT_AFFECTED,
	_NT_PATCH_STATE_MAX
};
/* "affected", "likely affected", "can't tell", "not affected" */
extern const struct nt_name nt_patch_state_names[];
/* The same for JSON: "affected", "likely", "unknown", "not-affected". */
extern const struct nt_name nt_patch_state_words[];

struct nt_patch_verdict {
	enum nt_patch_state state;
	char reason[200]; /* a few words: "fixed in 3.14" */
};

/* What the version alone says: LIKELY, NOT_AFFECTED or UNKNOWN. */
void nt_patch_judge_version(const struct nt_patch *p, const struct nt_version *v,
	struct nt_patch_verdict *ret);
/* What a sealed snapshot says. Pure. */
void nt_patch_judge(const struct nt_patch *p, const struct nt_snapshot *s,
	struct nt_patch_verdict *ret);
/* Ranges and versions as text: "3.10.18..3.10.22, 3.12..3.12.3". */
void nt_patch_format_affected(struct nt_buf *out, const struct nt_patch *p);
void nt_patch_format_versions(struct nt_buf *out, const struct nt_version *v, size_t n);

/* ---- trees ------------------------------------------------------------------------- */

enum nt_patch_outcome {
	NT_PATCH_APPLIES,
	NT_PATCH_PRESENT,   /* the tree already has it */
	NT_PATCH_NO_MATCH,  /* the code is not what the patch looks for */
	NT_PATCH_NO_SPATCH, /* not installed */
	NT_PATCH_FAILED,    /* spatch failed, or another system error */
};

/* A file of the tree and what the patches make of it. */
struct nt_patch_file {
	char *path; /* below the tree */
	struct nt_buf old, now;
};

/* A patch that changed something, and its diff against the ones before it. */
struct nt_patch_change {
	const struct nt_patch *patch;
	struct nt_buf diff;
};

struct nt_patch_run {
	char *tree;
	struct nt_version version; /* from the tree's Makefile */
	char version_text[96];
	struct nt_patch_file *files;
	size_t n_files, cap_files;
	struct nt_patch_change *changes;
	size_t n_changes, cap_changes;
	enum nt_patch_outcome outcome; /* of the whole, or of the patch that stopped it */
};

/* Hears, a line each, of what is worth knowing though nothing failed. */
typedef void nt_patch_note_fn(void *arg, const char *line);

/*
 * Look at a kernel tree: its version. -ENOTDIR and -EINVAL when dir is no kernel tree.
 * ret is initialised here; nt_patch_run_free() it in any case.
 */
int nt_patch_run_open(struct nt_patch_run *ret, const char *dir, struct nt_err *err);
/*
 * Apply the patches, in this order, to copies of the files: fills files, changes and
 * outcome. Stops at the first patch that does not apply, with err set; the tree is
 * never touched. SIGINT, SIGTERM and SIGHUP end it early with -EINTR, temporary files
 * removed, and are delivered when it returns.
 */
int nt_patch_run_apply(struct nt_patch_run *run, const struct nt_patch *const *patches,
	nt_patch_note_fn *note, void *arg, struct nt_err *err);
/* The changes as mails that git am takes, one a patch; patch -p1 takes them too. */
void nt_patch_run_mail(const struct nt_patch_run *run, time_t date, struct nt_buf *out);
/*
 * Write the changed files into the tree, each at once and with its mode and owner.
 * Refused where one is not clean in git, not writable, or differs from what was patched;
 * then, and where a write fails, all files are as before.
 */
int nt_patch_run_write(
	struct nt_patch_run *run, nt_patch_note_fn *note, void *arg, struct nt_err *err);
void nt_patch_run_free(struct nt_patch_run *run);

#endif
