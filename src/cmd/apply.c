/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "modes.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "look.h"
#include "nettune/mem.h"
#include "nettune/places.h"
#include "nettune/plan.h"
#include "nettune/ssh.h"
#include "plan_text.h"

const struct nt_opt nt_apply_opts_table[] = {
	NT_LOOK_OPTS,
	{ "dry-run", NT_ARG_NONE, NULL, "show the changes and their commands, change nothing" },
	{ "plan", NT_ARG_REQUIRED, "FILE", "do the plan of FILE, as --dry-run --json wrote it" },
	{ "only", NT_ARG_REQUIRED, "RULE,...", "only what these rules propose, advice too" },
	{ "skip", NT_ARG_REQUIRED, "RULE,...", "not what these rules propose" },
	{ "risk", NT_ARG_REQUIRED, "RISK", "none, traffic, host (the default) or link" },
	{ "confirm", NT_ARG_REQUIRED, "SECONDS", "undo everything then, unless --keep came" },
	{ "ping", NT_ARG_REQUIRED, "HOST", "undo at once when HOST no longer answers" },
	{ "json", NT_ARG_NONE, NULL, "the outcome, or the plan, as JSON" },
	{ NULL, NT_ARG_NONE, NULL, NULL },
};

struct job {
	const struct nt_args *a;
	struct nt_look look; /* with --plan only its sys */
	struct nt_look_opts how;
	struct nt_plan plan;
	struct nt_plan_opts limits;
	char **only, **skip;
	unsigned confirm_s;
	bool json;
	int written; /* what became of the text so far: 0 or -errno */
};

static int options(struct job *j)
{
	int status = nt_look_args(j->a, &j->how), r;

	if (status)
		return status;
	r = nt_args_word(j->a, "risk", nt_risk_names, NT_RISK_HOST, &status);
	if (status)
		return status;
	j->confirm_s = (unsigned)nt_args_whole(j->a, "confirm", 1, 86400, 0, &status);
	j->only = nt_args_list(j->a, "only", &status);
	j->skip = nt_args_list(j->a, "skip", &status);
	j->limits = (struct nt_plan_opts){ .risk = (enum nt_risk)r,
		.only = (const char *const *)j->only, .skip = (const char *const *)j->skip };
	j->json = nt_args_has(j->a, "json");
	return status;
}

/* A rule that does not exist must not look like one with nothing to say. */
static int check_rules(const struct job *j, char **list, const char *opt)
{
	for (; list && *list; list++) {
		if (!nt_rulebase_find(j->look.rules, *list)) {
			nt_warn("option '--%s': there is no rule '%s'; see nettune --list-rules", opt,
				*list);
			return NT_EXIT_USAGE;
		}
	}
	return 0;
}

static bool has_rule(const struct nt_plan *p, const char *rule)
{
	size_t i;

	for (i = 0; i < p->n; i++)
		if (strcmp(p->v[i].rule, rule) == 0)
			return true;
	return false;
}

/* Nor one that is not in the plan; and what only a judgement heeds is not heeded here. */
static int check_for_plan(const struct job *j, struct nt_err *err)
{
	static const char *const idle[] = { "goal", "peer", "key" };
	char **lists[] = { j->only, j->skip };
	size_t i, k;

	for (i = 0; i < NT_ARRAY_SIZE(idle); i++)
		if (nt_args_has(j->a, idle[i]))
			return nt_err_set(err, -EINVAL, "--plan and --%s exclude each other", idle[i]);
	for (i = 0; i < NT_ARRAY_SIZE(lists); i++)
		for (k = 0; lists[i] && lists[i][k]; k++)
			if (!has_rule(&j->plan, lists[i][k]))
				return nt_err_set(err, -EINVAL,
					"option '--%s': the plan has no rule '%s'",
					i ? "skip" : "only", lists[i][k]);
	return 0;
}

/* A plan that names links which are not here was made for another host, or too long ago. */
static int links_there(struct job *j, struct nt_err *err)
{
	struct nt_links links = { 0 };
	int rc = j->look.sys->ops->links(j->look.sys, &links, err);
	size_t i;

	for (i = 0; rc == 0 && i < j->plan.n; i++) {
		const struct nt_step *st = &j->plan.v[i];

		if (st->selected && *st->link && !nt_links_by_name(&links, st->link))
			rc = nt_err_set(err, -ENODEV,
				"the host does not match the plan: there is no link '%s'", st->link);
	}
	nt_links_free(&links);
	return rc;
}

static int read_plan(struct job *j, const char *file)
{
	struct nt_buf b = { 0 };
	struct nt_err err = { 0 };
	FILE *f = strcmp(file, "-") == 0 ? stdin : fopen(file, "re");
	int rc = f ? 0 : nt_err_sys(&err, -errno, "cannot read '%s'", file);
	size_t n;

	if (j->a->n_operands)
		rc = nt_err_set(&err, -EINVAL,
			"unexpected operand '%s': a plan names its links itself",
			j->a->operands[0]);
	errno = 0;
	while (!rc && (n = fread(nt_buf_reserve(&b, 65536), 1, 65536, f)) > 0) {
		b.len += n;
		if (b.len > 16U << 20)
			rc = nt_err_set(&err, -EFBIG, "'%s' is too large for a plan", file);
	}
	if (!rc && ferror(f))
		rc = nt_err_sys(&err, errno ? -errno : -EIO, "cannot read '%s'", file);
	if (f && f != stdin)
		fclose(f);
	if (!rc)
		rc = nt_plan_read(nt_buf_str(&b), b.len, &j->plan, &err);
	if (!rc)
		rc = check_for_plan(j, &err);
	if (!rc)
		nt_plan_limit(&j->plan, &j->limits);
	if (!rc) {
		j->look.sys = nt_sys_open(j->how.sys_flags, &err);
		rc = j->look.sys ? links_there(j, &err) : err.code;
	}
	if (rc)
		nt_complain(&err);
	nt_buf_free(&b);
	return rc == 0 ? 0 : rc == -EINVAL ? NT_EXIT_USAGE : NT_EXIT_FAILED;
}

static int make_plan(struct job *j)
{
	int status = nt_look(&j->how, &j->look);

	if (!status)
		status = check_rules(j, j->only, "only");
	if (!status)
		status = check_rules(j, j->skip, "skip");
	if (!status && j->look.peer_findings.n)
		nt_warn("note: what was found at the other end is not changed from here; see "
			"nettune --report --peer");
	if (!status)
		nt_plan_make(&j->look.findings, j->look.snapshot, &j->limits, &j->plan);
	return status;
}

static void note(void *arg, const char *line)
{
	(void)arg;
	nt_warn("note: %s", line);
}

/* Whether some selected step may stop the traffic of this link, or of all. */
static bool endangers(const struct nt_plan *p, const char *link)
{
	size_t i;

	for (i = 0; i < p->n; i++)
		if (p->v[i].selected && p->v[i].risk > NT_RISK_NONE &&
			(!*p->v[i].link || strcmp(p->v[i].link, link) == 0))
			return true;
	return false;
}

static void advise(struct job *j)
{
	char link[NT_IFNAMSIZ], shown[64];

	nt_managers(j->look.sys, &j->plan, note, NULL);
	if (!j->confirm_s && nt_ssh_link(j->look.sys, link) &&
		endangers(&j->plan, link)) {
		nt_printable(shown, sizeof shown, link);
		nt_warn("note: your ssh session runs over %s: with --confirm 60 everything is undone "
			"by itself unless you type: nettune --keep", shown);
	}
}

static int dry_run(struct job *j)
{
	char *dir = nt_place_state();
	struct nt_err err;
	int written = 0, rc = nt_plan_check(j->look.sys, &j->plan, dir, &err);

	free(dir);
	if (rc) {
		nt_complain(&err);
		return NT_EXIT_FAILED;
	}
	if (j->json)
		written = nt_plan_write(&j->plan, j->look.snapshot, stdout);
	else
		nt_print_plan(&j->plan, j->look.snapshot);
	if (nt_plan_selected(&j->plan) == 0)
		return nt_printed(written, NT_EXIT_OK);
	rc = nt_printed(written, NT_EXIT_FINDING);
	if (rc == NT_EXIT_FINDING)
		advise(j);
	return rc;
}

/* Signals that would end nettune halfway wait until the step is done, then stop it. */
static void block_signals(void)
{
	static const int stop[] = { SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGTSTP };
	sigset_t set;
	size_t i;

	sigemptyset(&set);
	for (i = 0; i < NT_ARRAY_SIZE(stop); i++)
		sigaddset(&set, stop[i]);
	sigprocmask(SIG_BLOCK, &set, NULL);
	signal(SIGPIPE, SIG_IGN);
	signal(SIGTTOU, SIG_IGN);
}

static bool stopped(void *arg)
{
	sigset_t set;

	(void)arg;
	return sigpending(&set) == 0 &&
	       (sigismember(&set, SIGINT) || sigismember(&set, SIGTERM) ||
		       sigismember(&set, SIGHUP) || sigismember(&set, SIGQUIT));
}

static void show_step(void *arg, const struct nt_step *st)
{
	struct job *j = arg;

	if (j->json || st->outcome == NT_OUT_WAITING)
		return;
	nt_print_step(st);
	if (fflush(stdout) != 0 && !j->written)
		j->written = -errno;
}

static void show_result(struct job *j, const struct nt_change_result *r, int rc)
{
	size_t i;

	if (rc == 0 && !r->id) {
		nt_print_plan(&j->plan, NULL);
		return;
	}
	if (rc == 0) {
		for (i = 0; i < j->plan.n; i++)
			if (!j->plan.v[i].selected && j->plan.v[i].outcome != NT_OUT_SAME)
				break;
		if (i < j->plan.n)
			printf("Some were left out: nettune --apply --dry-run says why.\n");
		nt_print_sides(r);
		printf("Applied as change set %u.\n", r->id);
		if (j->confirm_s)
			printf("Undone in %u s unless you type: nettune --keep\n", j->confirm_s);
		printf("To undo it: nettune --rollback %u\n", r->id);
		return;
	}
	if (r->undone) {
		printf("Undoing everything:\n");
		nt_print_undo(r);
		printf(r->n_left ? "NOT all is as it was before: see above.\n"
				 : "All is as it was before.\n");
	} else {
		printf("Nothing was changed.\n");
	}
}

static int do_apply(struct job *j)
{
	char *dir = nt_place_state();
	struct nt_apply_opts o = {
		.state_dir = dir,
		.confirm_s = j->confirm_s,
		.ping_host = nt_args_get(j->a, "ping"),
		.stop = stopped,
		.step = show_step,
		.arg = j,
	};
	struct nt_change_result r;
	struct nt_err err;
	int rc, written;

	advise(j);
	block_signals();
	rc = nt_apply(j->look.sys, &j->plan, &o, &r, &err);
	if (*r.note)
		nt_warn("note: %s", r.note);
	if (j->json)
		j->written = nt_write_result(&j->plan, &r, j->confirm_s, rc ? &err : NULL, stdout);
	else if (rc == 0 || r.undone)
		show_result(j, &r, rc);
	written = nt_printed(j->written, NT_EXIT_OK);
	if (rc)
		nt_complain(&err);
	if (rc && r.n_left)
		nt_warn("some values could not be put back; try: nettune --rollback %u", r.id);
	/* a failure is one of the host, where something was done to it */
	rc = rc == 0 ? (r.changed ? NT_EXIT_OK : written) : r.n_left ? NT_EXIT_PARTLY : NT_EXIT_FAILED;
	nt_change_result_free(&r);
	free(dir);
	return rc;
}

int nt_cmd_apply(const struct nt_args *a)
{
	const char *file = nt_args_get(a, "plan");
	struct job j = { .a = a };
	int status = options(&j);

	if (!status)
		status = file ? read_plan(&j, file) : make_plan(&j);
	if (!status)
		status = nt_args_has(a, "dry-run") ? dry_run(&j) : do_apply(&j);
	nt_plan_free(&j.plan);
	nt_look_free(&j.look);
	nt_list_free(j.only);
	nt_list_free(j.skip);
	return status;
}
