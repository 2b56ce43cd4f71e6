/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Facts: what is known of a host at one moment. A snapshot holds scopes (the host, each
 * link, each path to a peer) and each scope named, typed values, or the reason why a value
 * is not known. A snapshot is filled by a collector (live, capture, probe), sealed, and
 * then only read. It knows nothing of rules.
 */
#ifndef NETTUNE_FACT_H
#define NETTUNE_FACT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "nettune/mem.h"
#include "nettune/unit.h"
#include "nettune/version.h"

enum nt_scope_kind { NT_SCOPE_HOST, NT_SCOPE_LINK, NT_SCOPE_PATH };

enum nt_fact_type {
	NT_FACT_INT,
	NT_FACT_REAL,
	NT_FACT_BOOL,	/* JSON true/false */
	NT_FACT_SWITCH, /* "on"/"off": what ethtool prints so */
	NT_FACT_TEXT,
	NT_FACT_VERSION, /* kept as text, compared as a version */
	NT_FACT_LIST,	 /* words, kept as text separated by blanks */
	NT_FACT_ABSENT,	 /* not known; the text says why */
};

/* One fact. Strings are owned by the snapshot. */
struct nt_fact {
	unsigned id; /* of the name, nt_snapshot_name() */
	uint8_t type; /* enum nt_fact_type */
	uint8_t unit; /* enum nt_unit */
	union {
		int64_t i; /* INT; BOOL and SWITCH 0/1 */
		double r;  /* REAL */
		const char *s; /* TEXT, VERSION, LIST; ABSENT: the reason */
	} v;
};

struct nt_scope {
	enum nt_scope_kind kind;
	const char *name; /* link or peer name; "" for the host */
	struct nt_fact *facts;
	size_t n, cap;
	size_t n_sorted; /* facts found by a lookup: all of them once sealed */
	/*
	 * NULL when none or in another namespace. lower is set only where the
	 * link's traffic goes through the lower one as it is (VLAN, macvlan, ...), not for
	 * tunnels and not for the other end of a veth pair. A path's lower is the link that
	 * it leaves by, where that is known.
	 */
	struct nt_scope *lower, *master;
	/*
	 * Links: judged and shown. Where links were named, those alone; else all that are
	 * up, have a carrier and aren't loopback.
	 */
	bool interesting;
};

struct nt_snapshot {
	struct nt_symtab names; /* fact names */
	struct nt_symtab texts; /* text values, reasons and scope names */
	struct nt_scope host;
	struct nt_scope **links, **paths;
	size_t n_links, cap_links, n_paths, cap_paths;
	struct nt_scope **link_of_text; /* links by the id of their name in texts */
	size_t n_link_of_text;
	bool sealed;
	bool live;     /* from the running kernel, not a capture */
	double interval_s; /* between the two counter readings; 0 when read once */
};

struct nt_snapshot *nt_snapshot_new(void);
void nt_snapshot_free(struct nt_snapshot *s);

/* Add a scope; owned by the snapshot. Names need not be unique for paths. */
struct nt_scope *nt_snapshot_add_link(struct nt_snapshot *s, const char *name);
struct nt_scope *nt_snapshot_add_path(struct nt_snapshot *s, const char *peer);
struct nt_scope *nt_snapshot_link(const struct nt_snapshot *s, const char *name);

/*
 * Record a fact; a later value of the same name replaces an earlier one. Units must be the
 * catalogue's for that name. Not allowed once sealed.
 */
void nt_fact_int(struct nt_snapshot *s, struct nt_scope *sc, const char *name,
	enum nt_unit unit, int64_t v);
void nt_fact_real(struct nt_snapshot *s, struct nt_scope *sc, const char *name,
	enum nt_unit unit, double v);
void nt_fact_bool(struct nt_snapshot *s, struct nt_scope *sc, const char *name, bool v);
void nt_fact_switch(struct nt_snapshot *s, struct nt_scope *sc, const char *name, bool on);
/* type is TEXT, VERSION or LIST. */
void nt_fact_text(struct nt_snapshot *s, struct nt_scope *sc, enum nt_fact_type type,
	const char *name, const char *v);
/* Not known, and why, in a few words ("needs root"). Never replaces a known value. */
void nt_fact_absent(struct nt_snapshot *s, struct nt_scope *sc, const char *name,
	const char *reason);

/* Sort each scope by name id and drop replaced values; then facts may be looked up. */
void nt_snapshot_seal(struct nt_snapshot *s);

/* The id of a fact name, 0 when no scope has it. */
unsigned nt_snapshot_id(const struct nt_snapshot *s, const char *name);
const char *nt_snapshot_name(const struct nt_snapshot *s, unsigned id);

/*
 * Allow additions to a sealed snapshot until it is sealed again. What was sealed can still
 * be looked up meanwhile; additions only after the next seal.
 */
void nt_snapshot_unseal(struct nt_snapshot *s);

/* Look up in a sealed snapshot; NULL when the scope has no such fact, not even a reason. */
const struct nt_fact *nt_scope_get_id(const struct nt_scope *sc, unsigned id);
const struct nt_fact *nt_scope_get(const struct nt_snapshot *s, const struct nt_scope *sc,
	const char *name);

/* A text, version or list as text; NULL where the scope has no such fact or does not know it. */
const char *nt_scope_text(const struct nt_snapshot *s, const struct nt_scope *sc,
	const char *name);

/* Whether two values of one fact are the same; reals but for rounding, absent ones whatever
 * the reason. */
bool nt_fact_same(const struct nt_fact *a, const struct nt_fact *b);

/* "integer", "real", "boolean", "switch", "text", "version", "list", "absent". */
const char *nt_fact_type_name(enum nt_fact_type type);

/* The value as JSON-like text without quotes ("on", "1000", "6.1.192"); size with NUL. */
void nt_fact_format(char *ret, size_t size, const struct nt_fact *f);
/* The value as JSON: a number in its unit, true or false, "on" or "off", null if not known. */
struct nt_jsonw;
void nt_fact_json(struct nt_jsonw *w, const char *key, const struct nt_fact *f);
/* The value for people, with unit. */
void nt_fact_format_human(char *ret, size_t size, const struct nt_fact *f);

/* ---- catalogue ------------------------------------------------------------------- */

struct nt_catalogue_row {
	const char *name; /* exact, or a family: "stat.*", "feature.*.fixed" */
	enum nt_fact_type type;
	enum nt_unit unit;
	enum nt_scope_kind scope;
	const char *source;  /* where it comes from: "rtnetlink", "/proc/net/snmp", ... */
	const char *meaning; /* one line */
};

/* All rows, n in *ret_n; exact names before the families that would also match. */
const struct nt_catalogue_row *nt_catalogue(size_t *ret_n);
/* The rows of one name each, sorted by name: the beginning of nt_catalogue(). */
const struct nt_catalogue_row *nt_catalogue_exact(size_t *ret_n);
/* The row that describes name, exact rows first; NULL when the name is of no family. */
const struct nt_catalogue_row *nt_catalogue_find(const char *name);

/*
 * Whether facts of that name are ever made, or of one that the pattern name matches: false
 * where a family's names are this program's own and it has none such. What the kernel, a
 * driver or another program names may be anything.
 */
bool nt_catalogue_made(const char *name);
/*
 * Whether some kernel is known to have the sysctl "sysctl.net.DIRECTORY...NAME", an element
 * of a vector included; true for other facts. Sources: see src/fact/sysctl_known.inc.
 */
bool nt_sysctl_known(const char *name);

/*
 * Give every exact row of the catalogue that a scope of its kind lacks the reason that
 * reason() tells, in a sealed snapshot; it is sealed again. A NULL reason adds nothing.
 */
typedef const char *nt_reason_fn(void *arg, const struct nt_scope *sc,
	const struct nt_catalogue_row *row);
void nt_fact_fill_absent(struct nt_snapshot *s, nt_reason_fn *reason, void *arg);

/*
 * Add rate.NAME, change in a second, to a sealed snapshot for each counter that it and the
 * reading `later`, taken seconds > 0 after it, share; it is sealed again. Counters that went
 * back become absent facts. rate.stats64.*_bytes and IpExt octets are in bit/s.
 */
void nt_fact_rates(struct nt_snapshot *s, const struct nt_snapshot *later, double seconds);

/* ---- live collector -------------------------------------------------------------- */

struct nt_sys;

struct nt_collect_opts {
	const char *const *links; /* NULL or names to read in full; NULL-terminated */
	double interval_s;	  /* 0: counters are read once, no rates */
	bool all_links_conf;	  /* read the per-interface conf and neigh sysctls too */
};

/* A device that could not be read, or an interface that is missing: for stderr. */
typedef void nt_note_fn(void *arg, const char *line);

/*
 * Read the host that s stands for into a new sealed snapshot. What cannot be read becomes
 * an absent fact with its reason; note (may be NULL) hears of failures that a user should
 * be told. -ENODEV when a name in opts->links does not exist. NULL on failure.
 */
struct nt_snapshot *nt_collect_live(struct nt_sys *s, const struct nt_collect_opts *opts,
	nt_note_fn *note, void *arg, struct nt_err *err);

/*
 * Facts computed from facts (tsq.role, link.role ...), for every source alike: reads a
 * sealed snapshot, adds, and seals it again. A derived fact that the snapshot already knows
 * is left as it is.
 */
void nt_derive(struct nt_snapshot *s);

#endif
