/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "look.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "nettune/mem.h"
#include "nettune/names.h"
#include "interrupt.h"
#include "probe_args.h"
#include "probe_print.h"
#include "rules.h"

static const struct nt_name ethtool_ways[] = {
	{ "netlink", 0 },
	{ "ioctl", NT_SYS_IOCTL },
	{ NULL, 0 },
};

int nt_look_args(const struct nt_args *a, struct nt_look_opts *ret)
{
	int usage = 0;

	*ret = (struct nt_look_opts){ 0 };
	ret->goal = nt_args_word(a, "goal", nt_goal_names, NT_GOAL_BALANCED, &usage);
	if (!usage)
		ret->sys_flags = nt_args_word(a, "ethtool", ethtool_ways, 0, &usage);
	if (!usage)
		ret->interval_s = nt_args_number(a, "interval", 0, 3600, 1, &usage);
	ret->peer = nt_args_get(a, "peer");
	if (!usage && nt_args_has(a, "key") && !ret->peer) {
		nt_warn("option '--key': needs --peer HOST");
		usage = NT_EXIT_USAGE;
	}
	if (!usage)
		usage = nt_arg_key(a, &ret->key);
	if (a->n_operands)
		ret->links = (const char *const *)a->operands;
	return usage;
}

static void tell_note(void *arg, const char *line)
{
	(void)arg;
	nt_warn("%s", line);
}

/* Rules are compiled while this host is read: neither needs the other. */
struct loading {
	struct nt_rulebase *rules;
	struct fault {
		const char *file, *reason;
		int line;
	} * faults; /* told when both are done */
	size_t n_faults, cap_faults;
	struct nt_arena arena;
	struct nt_err err;
	int rc;
	pthread_t thread;
	bool in_thread;
};

static void keep_fault(void *arg, const char *file, int line, const char *reason)
{
	struct loading *l = arg;

	NT_GROW(l->faults, l->n_faults, l->cap_faults);
	l->faults[l->n_faults++] = (struct fault){ nt_arena_strdup(&l->arena, file),
		nt_arena_strdup(&l->arena, reason), line };
}

static void *load(void *arg)
{
	struct loading *l = arg;

	l->rules = nt_rulebase_new();
	l->rc = nt_rulebase_load_default(l->rules, keep_fault, l, &l->err);
	return NULL;
}

static void begin_loading(struct loading *l)
{
	sigset_t all, old;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &old); /* signals are for the main thread */
	l->in_thread = pthread_create(&l->thread, NULL, load, l) == 0;
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	if (!l->in_thread)
		load(l);
}

static struct nt_rulebase *end_loading(struct loading *l)
{
	size_t i;

	if (l->in_thread)
		pthread_join(l->thread, NULL);
	for (i = 0; i < l->n_faults; i++)
		nt_tell_rule_fault(
			NULL, l->faults[i].file, l->faults[i].line, l->faults[i].reason);
	free(l->faults);
	nt_arena_free(&l->arena);
	if (l->rc < 0)
		nt_complain(&l->err);
	else if (!l->rules->n)
		nt_warn("there are no rules to judge by");
	if (l->rules->n)
		return l->rules;
	nt_rulebase_free(l->rules);
	return NULL;
}

struct nt_rulebase *nt_look_rules(void)
{
	struct loading l = { .rc = 0 };

	load(&l);
	return end_loading(&l);
}

/* Run the standard tests, and put what they show where rules see it. An exit status. */
static int probe(const struct nt_look_opts *opts, struct nt_look *l)
{
	struct nt_probe_opts o;
	struct nt_err err = { 0 };
	unsigned i;

	nt_probe_opts_init(&o);
	o.host = opts->peer;
	o.key = opts->key;
	o.facts = opts->key.set;
	nt_interrupt_catch();
	if (nt_probe_run(l->sys, &o, isatty(STDERR_FILENO) ? nt_probe_tell : NULL, NULL,
		    nt_interrupted(), &l->probe, &err)) {
		nt_complain(&err);
		return err.code == -EINVAL ? NT_EXIT_USAGE : NT_EXIT_FAILED;
	}
	if (l->probe->interrupted) {
		nt_warn("interrupted");
		return NT_EXIT_FAILED;
	}
	for (i = 0; i < l->probe->n_tests; i++)
		if (*l->probe->tests[i].error)
			nt_warn("%s: %s",
				nt_name_of(nt_probe_test_names, l->probe->tests[i].test),
				l->probe->tests[i].error);
	nt_probe_facts(l->probe, false, l->snapshot);
	if (l->probe->peer) {
		nt_probe_facts(l->probe, true, l->probe->peer);
		nt_judge(l->rules, l->probe->peer, opts->goal, &l->peer_findings);
	} else if (opts->key.set) {
		nt_warn("the other end is not judged: %s", l->probe->peer_reason);
	}
	return NT_EXIT_OK;
}

int nt_look(const struct nt_look_opts *opts, struct nt_look *ret)
{
	struct nt_collect_opts how = {
		.links = opts->links,
		.interval_s = opts->interval_s,
	};
	struct loading loading = { .rc = 0 };
	struct nt_err err;

	memset(ret, 0, sizeof *ret);
	if (opts->interval_s > 0) { /* what is wrong with rules is not told after a wait */
		ret->rules = nt_look_rules();
		if (!ret->rules)
			return NT_EXIT_FAILED;
	} else {
		begin_loading(&loading);
	}
	ret->sys = nt_sys_open(opts->sys_flags, &err);
	if (ret->sys)
		ret->snapshot = nt_collect_live(ret->sys, &how, tell_note, NULL, &err);
	if (!ret->rules)
		ret->rules = end_loading(&loading);
	if (!ret->rules)
		return NT_EXIT_FAILED;
	if (!ret->snapshot) {
		nt_complain(&err);
		return err.code == -ENODEV ? NT_EXIT_USAGE : NT_EXIT_FAILED;
	}
	if (opts->peer) {
		int status = probe(opts, ret);

		if (status)
			return status;
	}
	nt_judge(ret->rules, ret->snapshot, opts->goal, &ret->findings);
	return NT_EXIT_OK;
}

void nt_look_free(struct nt_look *l)
{
	nt_findings_free(&l->peer_findings);
	nt_findings_free(&l->findings);
	nt_probe_result_free(l->probe);
	nt_snapshot_free(l->snapshot);
	nt_rulebase_free(l->rules);
	nt_sys_free(l->sys);
	memset(l, 0, sizeof *l);
}
