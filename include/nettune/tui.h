/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The interactive program: screens over the models that the reports are made from. */
#ifndef NETTUNE_TUI_H
#define NETTUNE_TUI_H

#include <stdbool.h>

#include "nettune/err.h"
#include "nettune/rule.h"

struct nt_sys;

struct nt_tui_opts {
	const char *const *links; /* NULL, or names to judge in full, NULL-terminated */
	enum nt_goal goal;
	bool color;
	const struct nt_rulebase *rules;
	const char *ssh_link; /* that carries the caller's ssh session; NULL: none */
	/* how a worker thread gets a kernel of its own, and gives it back (NULL allowed) */
	struct nt_sys *(*open_sys)(struct nt_err *err);
	void (*close_sys)(struct nt_sys *s);
};

/*
 * Take over the terminal and run until the user quits or a signal ends it; the terminal is
 * restored in any case. *ret_signal is that signal, else 0. 0, or -errno with err where the
 * terminal can't be used (-ENOTTY, -ENOTSUP: the message names --report) or no thread
 * started. A worker stuck in the kernel makes it leave by _exit().
 */
int nt_tui_run(const struct nt_tui_opts *opts, int *ret_signal, struct nt_err *err);

#endif
