/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A change set: what one apply did, as its journal has it. Private to plan.
 *
 * The journal is a file of lines, each the CRC-32 of its JSON text in eight hex digits, a
 * blank, and the text. It only grows. A line is on the disk before what it announces is
 * done. Records, by "t":
 *   set     the version of the format, who, when, where (boot, namespace, links), the steps
 *           and the whole state before the first of them
 *   intent  the steps that the next write is for, or the entries that an undo writes
 *   done    what these steps read afterwards, and every value that moved
 *   failed  the same with the error
 *   end     all steps are done
 *   undo    an undo begins, and why
 *   undone  an undo has ended, and what it could not put back
 *   kept    somebody said --keep
 */
#ifndef PLAN_SET_H
#define PLAN_SET_H

#include <stdbool.h>
#include <stdint.h>

#include "nettune/plan.h"
#include "state.h"

#define NT_JOURNAL_VERSION 1

struct nt_place_id { /* which kernel and network namespace */
	char boot[40];
	uint64_t dev, ino, cookie; /* cookie 0: the kernel has none */
};

struct nt_set_link {
	int ifindex;
	const char *name, *kind, *perm, *bus; /* "" unknown */
};

enum nt_set_step_state { NT_STEP_WAITING, NT_STEP_OPEN, NT_STEP_DONE, NT_STEP_FAILED };

struct nt_set_step {
	const char *tunable, *link, *from, *to, *rule;
	const char *got, *error; /* NULL until known */
	int ifindex;
	enum nt_risk risk;
	enum nt_set_step_state state;
};

struct nt_set {
	unsigned id;
	int fd; /* the journal, for appending; -1 */
	struct nt_arena arena;
	struct nt_place_id place;
	int64_t time, end_time; /* seconds since 1970 */
	double end_boottime;	/* seconds of CLOCK_BOOTTIME */
	int pid;
	unsigned confirm_s; /* 0: stays without being kept */
	struct nt_set_link *links;
	size_t n_links, cap_links;
	struct nt_set_step *steps;
	size_t n_steps, cap_steps;
	struct nt_state before, after; /* after: what is known of the state since */
	struct nt_state undoing; /* entries that an undo meant to write and may have */
	bool ended, kept, undo_begun, undone, damaged;
	unsigned n_left; /* undone, but for so many values */
};

/* Where this process is. */
int nt_place_here(struct nt_sys *s, struct nt_place_id *ret, struct nt_err *err);
/* 0, or -ESTALE with err saying what is another: boot or namespace. */
int nt_place_check(const struct nt_place_id *here, const struct nt_set *set,
	struct nt_err *err);
/* Record who link l is. */
void nt_set_add_link(struct nt_set *set, const struct nt_link *l);
/*
 * Whether ifindex is still the link it was. 0; -ENODEV when it has gone; -ESTALE when
 * another link has its number or its name. *ret is the link when 0.
 */
int nt_set_check_link(const struct nt_set *set, const struct nt_links *links, int ifindex,
	const struct nt_link **ret, struct nt_err *err);
const char *nt_set_link_name(const struct nt_set *set, int ifindex);

void nt_set_init(struct nt_set *set);
void nt_set_free(struct nt_set *set);
enum nt_set_status nt_set_status(const struct nt_set *set, const struct nt_place_id *here);

/* Number the set, create its journal with the set record and reserve room for the rest. */
int nt_journal_create(const char *dir, struct nt_set *set, struct nt_err *err);
/* Open an existing set's journal for appending. */
int nt_journal_append(const char *dir, struct nt_set *set, struct nt_err *err);
/* The records. Each is on the disk when 0 is returned, and *set updated in any case. */
int nt_journal_intent(struct nt_set *set, const size_t *steps, size_t n, struct nt_err *err);
/* moved: entries whose value is now another, val "" with gone set when it is no more. */
struct nt_moved {
	int ifindex;
	const char *key, *val; /* NULL: no more */
};
int nt_journal_done(struct nt_set *set, const size_t *steps, size_t n, bool failed,
	const struct nt_moved *moved, size_t n_moved, struct nt_err *err);
int nt_journal_end(struct nt_set *set, struct nt_err *err);
int nt_journal_undo(struct nt_set *set, const char *why, struct nt_err *err);
int nt_journal_undo_intent(struct nt_set *set, const struct nt_entry *v, size_t n,
	struct nt_err *err);
int nt_journal_undone(struct nt_set *set, unsigned n_left, struct nt_err *err);
int nt_journal_kept(struct nt_set *set, struct nt_err *err);

/*
 * Read a set's journal. A torn last line is what a crash leaves and is dropped; any other
 * damage marks the set damaged from there on. -ENOENT; -ENODATA when a crash left not even a
 * first line, so that nothing was changed; -EBADMSG when the first record can't be read;
 * -EPROTONOSUPPORT for a newer format.
 */
int nt_journal_load(const char *dir, unsigned id, struct nt_set *ret, struct nt_err *err);
/* The same from memory; name is for messages. */
int nt_journal_parse(const char *data, size_t len, const char *name, struct nt_set *ret,
	struct nt_err *err);
/* Whether the journal was written to since the host was started. */
bool nt_journal_recent(const char *dir, unsigned id);
/* The numbers of all sets, ascending; *ret is the caller's to free. */
int nt_journal_list(const char *dir, unsigned **ret, size_t *ret_n, struct nt_err *err);

/* ---- lock ---- */
struct nt_lock {
	int fd;
};
/*
 * Take the lock of the state folder, which is made when missing. what says what for, in one
 * word. -EBUSY when somebody has it: err names the process and since when.
 */
int nt_lock_take(const char *dir, const char *what, struct nt_lock *ret, struct nt_err *err);
void nt_lock_drop(struct nt_lock *l);

/* ---- trust ---- */
/*
 * Whether only root and this user can put something into the folder, or write the file of
 * path that fd is open on, a plain one. 0; -EPERM, or -errno of looking at it.
 */
int nt_trust_dir(const char *dir, struct nt_err *err);
int nt_trust_file(int fd, const char *path, struct nt_err *err);

/* ---- undo ---- */
/*
 * Put back what set changed. Values that somebody else changed since are left alone. Fills
 * ret->undo; 0 when all is as before, else -errno of the first that is not.
 */
int nt_set_undo(struct nt_sys *s, struct nt_set *set, const char *why,
	struct nt_change_result *ret, struct nt_err *err);

/* ---- guardian ---- */
/* Start the guardian of the set and wait until it stands. note, if not "", says how it is
 * weaker than it could be. */
int nt_guardian_start(const char *dir, const struct nt_set *set, char *note, size_t size,
	struct nt_err *err);

/* ---- people and programs that also write ---- */
/* Say who may have changed tunable behind our back, into ret; "" when nobody is known. */
void nt_managers_suspect(struct nt_sys *s, const char *tunable, char *ret, size_t size);

#endif
