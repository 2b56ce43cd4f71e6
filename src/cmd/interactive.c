/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <signal.h>

#include "look.h"
#include "modes.h"
#include "nettune/ssh.h"
#include "nettune/tui.h"

static struct nt_sys *open_netlink(struct nt_err *err)
{
	return nt_sys_open(0, err);
}

static struct nt_sys *open_ioctl(struct nt_err *err)
{
	return nt_sys_open(NT_SYS_IOCTL, err);
}

/* The link that carries the caller's ssh session, or NULL. */
static const char *find_ssh_link(struct nt_sys *s, char ret[NT_IFNAMSIZ])
{
	return s && nt_ssh_link(s, ret) ? ret : NULL;
}

int nt_cmd_interactive(const struct nt_args *a)
{
	struct nt_look_opts look;
	struct nt_tui_opts opts = { .color = a->color, .close_sys = nt_sys_free };
	struct nt_rulebase *rules;
	struct nt_sys *s;
	char ssh_link[NT_IFNAMSIZ];
	struct nt_err err;
	int rc = nt_look_args(a, &look), sig;

	if (rc)
		return rc;
	rules = nt_look_rules();
	if (!rules)
		return NT_EXIT_FAILED;
	opts.links = look.links;
	opts.goal = look.goal;
	opts.rules = rules;
	opts.open_sys = look.sys_flags & NT_SYS_IOCTL ? open_ioctl : open_netlink;
	s = opts.open_sys(&err);
	if (!s) {
		nt_complain(&err);
		nt_rulebase_free(rules);
		return NT_EXIT_FAILED;
	}
	opts.ssh_link = find_ssh_link(s, ssh_link);
	nt_sys_free(s);
	rc = nt_tui_run(&opts, &sig, &err);
	nt_rulebase_free(rules);
	if (rc) {
		nt_complain(&err);
		return NT_EXIT_FAILED;
	}
	if (sig) { /* die as the signal would have it, the terminal restored */
		signal(sig, SIG_DFL);
		raise(sig);
	}
	return NT_EXIT_OK;
}
