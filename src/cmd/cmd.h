/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The command line: one table row a mode, one table of options a mode. Private to cmd/. */
#ifndef CMD_H
#define CMD_H

#include <stdbool.h>

#include "nettune/err.h"

/* Exit statuses, DESIGN 11. */
enum { NT_EXIT_OK, NT_EXIT_FAILED, NT_EXIT_USAGE, NT_EXIT_FINDING, NT_EXIT_PARTLY };

enum nt_arg { NT_ARG_NONE, NT_ARG_REQUIRED, NT_ARG_OPTIONAL };

struct nt_opt {
	const char *name; /* without the dashes */
	enum nt_arg arg;
	const char *metavar;
	const char *help; /* one line */
};

struct nt_args;
struct nt_name;

struct nt_cmd {
	const char *name; /* the mode's option: "report"; "" for interactive */
	enum nt_arg arg;  /* the mode option's own =VALUE */
	const char *metavar;
	const struct nt_opt *opts; /* ends with a NULL name; NULL for none */
	const char *operands;	   /* "[LINK...]", "[ID]" or NULL for none */
	int max_operands;	   /* -1 any number */
	const char *summary;	   /* for --help */
	int (*run)(const struct nt_args *a); /* returns an exit status */
};

#define NT_MAX_OPTS 48

struct nt_args {
	const struct nt_cmd *cmd;
	const char *mode_value; /* --report=json: "json"; NULL */
	const char *val[NT_MAX_OPTS]; /* by index in cmd->opts; "" for a bare option */
	bool color;		      /* resolved from --color, NO_COLOR, the terminal */
	char **operands;	      /* NULL-terminated */
	int n_operands;
	bool help, version;
};

/* All modes; ends with a NULL run. */
extern const struct nt_cmd nt_cmds[];

/*
 * Parse argv. On wrong usage prints one line to stderr and returns NT_EXIT_USAGE, else 0.
 * Strings point into argv; nt_args_free() afterwards.
 */
int nt_args_parse(int argc, char **argv, struct nt_args *ret);
void nt_args_free(struct nt_args *a);

/* The option's value, "" only when given without one, NULL when not given. Unknown: a bug. */
const char *nt_args_get(const struct nt_args *a, const char *opt);
bool nt_args_has(const struct nt_args *a, const char *opt);
/*
 * The option as a number within min..max; fallback when not given. Wrong: one line to
 * stderr, *ret_usage set to NT_EXIT_USAGE.
 */
double nt_args_number(const struct nt_args *a, const char *opt, double min, double max,
	double fallback, int *ret_usage);
/* The same where only whole numbers count something. */
int nt_args_whole(const struct nt_args *a, const char *opt, int min, int max, int fallback,
	int *ret_usage);
/*
 * What the option's word stands for in table; fallback when not given (NULL). Wrong: as
 * nt_args_number(), the line naming the words of table and also, one more word or NULL.
 */
int nt_arg_word(const char *opt, const char *word, const struct nt_name *table,
	const char *also, int fallback, int *ret_usage);
/* The same of an option that was given, or not. */
int nt_args_word(const struct nt_args *a, const char *opt, const struct nt_name *table,
	int fallback, int *ret_usage);
/* How wide text may be: COLUMNS, else the terminal's width, else 80. */
int nt_columns(void);
/*
 * A comma-separated value as a NULL-terminated list (caller frees with nt_list_free); NULL
 * when not given. One without any word is wrong: as nt_args_number().
 */
char **nt_args_list(const struct nt_args *a, const char *opt, int *ret_usage);
/* The same from a string; NULL gives an empty list. */
char **nt_split_list(const char *s);
void nt_list_free(char **list);

/* "nettune: " and the message, with the kernel's ext-ack where there is one, to stderr. */
void nt_complain(const struct nt_err *err);
void nt_warn(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/*
 * What a mode wrote to stdout is on its way, or it is told why not: stdio forgets that of a
 * large piece, so written is what the writer returned, 0 or -errno. The exit status: the one
 * given, or that of a failure where it would have been one of success.
 */
int nt_printed(int written, int status);

void nt_print_help(const struct nt_cmd *cmd);

#endif
