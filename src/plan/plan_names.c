/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "nettune/plan.h"

const struct nt_name nt_outcome_names[] = {
	{ "waiting", NT_OUT_WAITING },
	{ "same", NT_OUT_SAME },
	{ "done", NT_OUT_DONE },
	{ "clamped", NT_OUT_CLAMPED },
	{ "failed", NT_OUT_FAILED },
	{ "undone", NT_OUT_UNDONE },
	{ NULL, 0 },
};

const struct nt_name nt_undo_names[] = {
	{ "restored", NT_UNDO_RESTORED },
	{ "changed since", NT_UNDO_FOREIGN },
	{ "failed", NT_UNDO_FAILED },
	{ "link gone", NT_UNDO_GONE },
	{ NULL, 0 },
};

const struct nt_name nt_set_status_names[] = {
	{ "unfinished", NT_SET_OPEN },
	{ "waiting", NT_SET_PENDING },
	{ "kept", NT_SET_KEPT },
	{ "undone", NT_SET_UNDONE },
	{ "partly undone", NT_SET_PARTLY },
	{ "gone with reboot", NT_SET_GONE },
	{ NULL, 0 },
};
