/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "modes.h"

#include <errno.h>
#include <langinfo.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "look.h"
#include "nettune/mem.h"
#include "nettune/output.h"
#include "nettune/report.h"

const struct nt_opt nt_report_opts[] = {
	NT_LOOK_OPTS,
	{ "json", NT_ARG_NONE, NULL, "the same as --report=json" },
	{ "output", NT_ARG_REQUIRED, "FILE", "write there, whole or not at all" },
	{ "verbose", NT_ARG_NONE, NULL, "raw values, undecided rules, unknown facts" },
	{ "exit-code", NT_ARG_NONE, NULL, "exit with 3 on a problem or warning" },
	{ NULL, NT_ARG_NONE, NULL, NULL },
};

enum format { FORMAT_TEXT, FORMAT_JSON };

static const struct nt_name formats[] = {
	{ "text", FORMAT_TEXT },
	{ "json", FORMAT_JSON },
	{ NULL, 0 },
};

static int choose_format(const struct nt_args *a, int *ret)
{
	int usage = 0;

	*ret = nt_arg_word("report", a->mode_value, formats, NULL, FORMAT_TEXT, &usage);
	if (usage)
		return usage;
	if (nt_args_has(a, "json")) {
		if (a->mode_value && *ret != FORMAT_JSON) {
			nt_warn("--json and --report=%s exclude each other", a->mode_value);
			return NT_EXIT_USAGE;
		}
		*ret = FORMAT_JSON;
	}
	return 0;
}

int nt_columns(void)
{
	const char *s = getenv("COLUMNS");
	char *end;
	long v = s ? strtol(s, &end, 10) : 0;
	struct winsize ws;

	if (s && *s && !*end && v > 0 && v <= 10000)
		return v;
	if (isatty(STDOUT_FILENO) && ioctl(STDOUT_FILENO, TIOCGWINSZ, &ws) == 0 && ws.ws_col)
		return ws.ws_col;
	return 80;
}

/* The words that make another mode look at the same: goal, peer and links. */
static char *again(const struct nt_args *a, enum nt_goal goal)
{
	static const char *const with[] = { "peer", "key" };
	struct nt_buf b = { 0 };
	bool options = false;
	size_t k;
	int i;

	if (goal != NT_GOAL_BALANCED)
		nt_buf_addf(&b, "--goal %s", nt_name_of(nt_goal_names, goal));
	for (k = 0; k < NT_ARRAY_SIZE(with); k++) {
		const char *v = nt_args_get(a, with[k]);

		if (!v)
			continue;
		nt_buf_addf(&b, "%s--%s ", b.len ? " " : "", with[k]);
		nt_buf_add_word(&b, v);
	}
	for (i = 0; i < a->n_operands; i++)
		options |= a->operands[i][0] == '-';
	for (i = 0; i < a->n_operands; i++) {
		if (b.len)
			nt_buf_addc(&b, ' ');
		if (options) /* a link may be called like one: what follows is none */
			nt_buf_adds(&b, "-- ");
		options = false;
		nt_buf_add_word(&b, a->operands[i]);
	}
	return nt_buf_detach(&b);
}

static int write_text(const struct nt_args *a, const struct nt_report *r, FILE *out)
{
	char *words = again(a, r->goal);
	struct nt_report_style style = {
		.columns = nt_columns(),
		.color = a->color && !nt_args_has(a, "output"),
		.utf8 = strcmp(nl_langinfo(CODESET), "UTF-8") == 0,
		.verbose = nt_args_has(a, "verbose"),
		.again = words,
	};
	struct nt_buf text = { 0 };
	int rc;

	nt_report_text(r, &style, &text);
	rc = fwrite(nt_buf_str(&text), 1, text.len, out) == text.len ? 0 : -errno;
	nt_buf_free(&text);
	free(words);
	return rc;
}

static int write_report(const struct nt_args *a, const struct nt_report *r, int format)
{
	struct nt_output o;
	struct nt_err err;
	int rc = nt_output_open(&o, nt_args_get(a, "output"), &err);

	if (!rc) {
		rc = format == FORMAT_JSON ? nt_report_json(r, o.f) : write_text(a, r, o.f);
		rc = nt_output_commit(&o, rc, &err);
	}
	if (rc && rc != -EPIPE)
		nt_complain(&err);
	nt_output_abort(&o);
	return rc ? NT_EXIT_FAILED : NT_EXIT_OK;
}

static bool alarming(const struct nt_findings *f)
{
	size_t i;

	for (i = 0; i < f->n; i++)
		if (f->v[i].severity >= NT_SEV_WARNING)
			return true;
	return false;
}

int nt_cmd_report(const struct nt_args *a)
{
	const struct nt_plan_opts plan_opts = { .risk = NT_RISK_HOST };
	struct nt_look_opts how;
	struct nt_look look;
	struct nt_plan plan;
	int format, status = choose_format(a, &format);

	if (!status)
		status = nt_look_args(a, &how);
	if (status)
		return status;
	status = nt_look(&how, &look);
	if (!status) {
		struct nt_report r = {
			.here = { look.snapshot, &look.findings },
			.peer = { look.probe ? look.probe->peer : NULL, &look.peer_findings },
			.probe = look.probe,
			.rules = look.rules,
			.plan = &plan,
			.goal = how.goal,
			.generated = time(NULL),
		};

		nt_plan_make(&look.findings, look.snapshot, &plan_opts, &plan);
		status = write_report(a, &r, format);
		if (!status && nt_args_has(a, "exit-code") &&
			(alarming(&look.findings) || alarming(&look.peer_findings)))
			status = NT_EXIT_FINDING;
		nt_plan_free(&plan);
	}
	nt_look_free(&look);
	return status;
}
