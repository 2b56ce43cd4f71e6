/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "cmd.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "nettune/buf.h"
#include "nettune/mem.h"
#include "nettune/names.h"
#include "nettune/output.h"

void nt_warn(const char *fmt, ...)
{
	char line[1024], shown[1024];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(line, sizeof line, fmt, ap);
	va_end(ap);
	nt_printable(shown, sizeof shown, line);
	fprintf(stderr, "nettune: %s\n", shown);
}

int nt_printed(int written, int status)
{
	struct nt_output o;
	struct nt_err err;

	nt_output_open(&o, NULL, &err);
	written = nt_output_commit(&o, written, &err);
	if (!written)
		return status;
	if (written != -EPIPE)
		nt_complain(&err);
	return status == NT_EXIT_OK || status == NT_EXIT_FINDING ? NT_EXIT_FAILED : status;
}

void nt_complain(const struct nt_err *err)
{
	if (*err->kernel)
		nt_warn("%s (kernel: %s)", err->msg, err->kernel);
	else
		nt_warn("%s", err->msg);
}

/* The length of NAME in "--NAME[=VALUE]". */
static size_t name_len(const char *arg)
{
	return strcspn(arg + 2, "=");
}

static bool is_option(const char *arg, const char *name)
{
	size_t len = strlen(name);

	return strncmp(arg, "--", 2) == 0 && name_len(arg) == len &&
	       strncmp(arg + 2, name, len) == 0;
}

static const struct nt_cmd *mode_of(const char *arg)
{
	const struct nt_cmd *c;

	for (c = nt_cmds; c->run; c++)
		if (*c->name && is_option(arg, c->name))
			return c;
	return NULL;
}

static int find_opt(const struct nt_cmd *cmd, const char *arg)
{
	int i;

	for (i = 0; cmd->opts && cmd->opts[i].name; i++)
		if (is_option(arg, cmd->opts[i].name))
			return i;
	return -1;
}

static bool is_opt_of(const struct nt_cmd *cmd, const char *name)
{
	int i;

	for (i = 0; cmd->opts && cmd->opts[i].name; i++)
		if (strcmp(cmd->opts[i].name, name) == 0)
			return true;
	return false;
}

static const char *say_mode(const struct nt_cmd *cmd)
{
	return *cmd->name ? cmd->name : "interactive mode";
}

/*
 * The value of the option argv[*i]; moves *i on where the value is the next word. Returns
 * 0 or NT_EXIT_USAGE.
 */
static int take_value(char **argv, int *i, enum nt_arg arg, const char *metavar,
	const char **ret)
{
	size_t len = name_len(argv[*i]);
	const char *eq = argv[*i][2 + len] == '=' ? argv[*i] + 2 + len + 1 : NULL;

	if (eq && arg == NT_ARG_NONE) {
		nt_warn("option '--%.*s' takes no value", (int)len, argv[*i] + 2);
		return NT_EXIT_USAGE;
	}
	if (eq && !*eq) {
		nt_warn("option '--%.*s': nothing follows the '='", (int)len, argv[*i] + 2);
		return NT_EXIT_USAGE;
	}
	if (!eq && arg == NT_ARG_REQUIRED) {
		/* "" is what a script's variable leaves that was never set */
		if (!argv[*i + 1] || !*argv[*i + 1]) {
			nt_warn("option '%s' needs a value: %s", argv[*i], metavar);
			return NT_EXIT_USAGE;
		}
		eq = argv[++*i];
	}
	*ret = eq ? eq : "";
	return 0;
}

static int choose_color(const char *word, bool *ret)
{
	const char *term = getenv("TERM"), *no = getenv("NO_COLOR");

	if (word && strcmp(word, "always") != 0 && *word && strcmp(word, "never") != 0 &&
		strcmp(word, "auto") != 0) {
		nt_warn("option '--color': '%s' is not always, never or auto", word);
		return NT_EXIT_USAGE;
	}
	if (word && strcmp(word, "never") == 0)
		*ret = false;
	else if (word && strcmp(word, "auto") != 0)
		*ret = true;
	else
		*ret = isatty(STDOUT_FILENO) && !(no && *no) && term && strcmp(term, "dumb") != 0;
	return 0;
}

/*
 * The mode that argv names, or the interactive one; NULL after telling of two modes. A word
 * that is both a mode and an option of the other mode ("--tune H --apply") is the option.
 */
static const struct nt_cmd *find_mode(char **argv)
{
	const struct nt_cmd *cmd = NULL, *c;
	int i;

	for (i = 1; argv[i] && strcmp(argv[i], "--") != 0; i++) {
		c = mode_of(argv[i]);
		if (!c || c == cmd || (cmd && find_opt(cmd, argv[i]) >= 0))
			continue;
		if (cmd && !is_opt_of(c, cmd->name)) {
			nt_warn("one mode a call: --%s and --%s", cmd->name, c->name);
			return NULL;
		}
		cmd = c;
	}
	for (c = nt_cmds; !cmd && c->run; c++)
		if (!*c->name)
			cmd = c;
	return cmd;
}

static int one_option(char **argv, int *i, struct nt_args *a, const char **color)
{
	const struct nt_cmd *cmd = a->cmd;
	const char *dummy;
	int k;

	if (*cmd->name && is_option(argv[*i], cmd->name) && find_opt(cmd, argv[*i]) < 0) {
		int rc;

		/* "--patch --help" asks for help, not for the patch "--help" */
		if (cmd->arg == NT_ARG_REQUIRED && argv[*i + 1] && is_option(argv[*i + 1], "help"))
			return 0;
		rc = take_value(argv, i, cmd->arg, cmd->metavar, &a->mode_value);
		if (!rc && !*a->mode_value)
			a->mode_value = NULL;
		return rc;
	}
	if (is_option(argv[*i], "help")) {
		a->help = true;
		return take_value(argv, i, NT_ARG_NONE, "", &dummy);
	}
	if (is_option(argv[*i], "version")) {
		a->version = true;
		return take_value(argv, i, NT_ARG_NONE, "", &dummy);
	}
	if (is_option(argv[*i], "color"))
		return take_value(argv, i, NT_ARG_OPTIONAL, "WHEN", color);
	k = find_opt(cmd, argv[*i]);
	if (k < 0) {
		nt_warn("%s has no option '--%.*s'; see nettune --help", say_mode(cmd),
			(int)name_len(argv[*i]), argv[*i] + 2);
		return NT_EXIT_USAGE;
	}
	return take_value(argv, i, cmd->opts[k].arg, cmd->opts[k].metavar, &a->val[k]);
}

int nt_args_parse(int argc, char **argv, struct nt_args *ret)
{
	const char *color = NULL;
	bool only_operands = false;
	int i, rc;

	memset(ret, 0, sizeof *ret);
	ret->operands = nt_calloc(argc + 1, sizeof *ret->operands);
	ret->cmd = find_mode(argv);
	if (!ret->cmd)
		return NT_EXIT_USAGE;
	for (i = 1; i < argc; i++) {
		if (!only_operands && strcmp(argv[i], "--") == 0) {
			only_operands = true;
		} else if (!only_operands && (strcmp(argv[i], "-h") == 0)) {
			ret->help = true;
		} else if (!only_operands && strcmp(argv[i], "-V") == 0) {
			ret->version = true;
		} else if (!only_operands && strncmp(argv[i], "--", 2) == 0) {
			rc = one_option(argv, &i, ret, &color);
			if (rc)
				return rc;
		} else if (!only_operands && argv[i][0] == '-' && argv[i][1]) {
			nt_warn("no option '%s'; see nettune --help", argv[i]);
			return NT_EXIT_USAGE;
		} else {
			ret->operands[ret->n_operands++] = argv[i];
		}
	}
	if (!ret->help && !ret->version && ret->cmd->max_operands >= 0 &&
		ret->n_operands > ret->cmd->max_operands) {
		nt_warn("%s: unexpected operand '%s'", say_mode(ret->cmd),
			ret->operands[ret->cmd->max_operands]);
		return NT_EXIT_USAGE;
	}
	return choose_color(color, &ret->color);
}

void nt_args_free(struct nt_args *a)
{
	free(a->operands);
	a->operands = NULL;
}

const char *nt_args_get(const struct nt_args *a, const char *opt)
{
	int i;

	for (i = 0; a->cmd->opts && a->cmd->opts[i].name; i++)
		if (strcmp(a->cmd->opts[i].name, opt) == 0)
			return a->val[i];
	nt_die("bug: mode %s has no option %s", a->cmd->name, opt);
}

bool nt_args_has(const struct nt_args *a, const char *opt)
{
	return nt_args_get(a, opt) != NULL;
}

static double number(const struct nt_args *a, const char *opt, double min, double max,
	bool whole, double fallback, int *ret_usage)
{
	const char *s = nt_args_get(a, opt);
	char *end;
	double v;

	if (!s)
		return fallback;
	errno = 0;
	v = strtod(s, &end);
	if (end == s || *end || errno || !isfinite(v) || v < min || v > max ||
		(whole && v != floor(v))) {
		nt_warn("option '--%s': '%s' is not a %snumber from %.15g to %.15g", opt, s,
			whole ? "whole " : "", min, max);
		*ret_usage = NT_EXIT_USAGE;
		return fallback;
	}
	return v;
}

double nt_args_number(const struct nt_args *a, const char *opt, double min, double max,
	double fallback, int *ret_usage)
{
	return number(a, opt, min, max, false, fallback, ret_usage);
}

int nt_args_whole(const struct nt_args *a, const char *opt, int min, int max, int fallback,
	int *ret_usage)
{
	return (int)number(a, opt, min, max, true, fallback, ret_usage);
}

int nt_arg_word(const char *opt, const char *word, const struct nt_name *table,
	const char *also, int fallback, int *ret_usage)
{
	int v = word ? nt_name_value(table, word) : fallback;
	char *list;

	if (v != -EINVAL)
		return v;
	list = nt_name_list(table, ", ");
	nt_warn("option '--%s': '%s' is none of: %s%s%s", opt, word, list, also ? ", " : "",
		also ? also : "");
	free(list);
	*ret_usage = NT_EXIT_USAGE;
	return fallback;
}

int nt_args_word(const struct nt_args *a, const char *opt, const struct nt_name *table,
	int fallback, int *ret_usage)
{
	return nt_arg_word(opt, nt_args_get(a, opt), table, NULL, fallback, ret_usage);
}

char **nt_split_list(const char *s)
{
	char **list = NULL;
	size_t n = 0, cap = 0, len;

	for (; s && *s; s += len + (s[len] == ',')) {
		len = strcspn(s, ",");
		if (!len)
			continue;
		NT_GROW(list, n, cap);
		list[n++] = nt_strndup(s, len);
	}
	NT_GROW(list, n, cap);
	list[n] = NULL;
	return list;
}

char **nt_args_list(const struct nt_args *a, const char *opt, int *ret_usage)
{
	const char *s = nt_args_get(a, opt);
	char **list = s ? nt_split_list(s) : NULL;

	if (list && !*list) {
		nt_warn("option '--%s': '%s' names nothing", opt, s);
		*ret_usage = NT_EXIT_USAGE;
	}
	return list;
}

void nt_list_free(char **list)
{
	size_t i;

	for (i = 0; list && list[i]; i++)
		free(list[i]);
	free(list);
}
