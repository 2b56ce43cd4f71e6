/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the journal says of change sets: the screens ask it instead of guessing, for the
 * guardian, another nettune or a command line may have kept or undone one meanwhile. Read
 * on a lane of its own, so that keeping and undoing never wait for it. No terminal here.
 */
#ifndef TUI_LOOKOUT_H
#define TUI_LOOKOUT_H

#include <stdbool.h>
#include <stdint.h>

struct nt_app;

struct nt_lookout {
	bool running, asked;
	int64_t due_ms;	      /* CLOCK_BOOTTIME; when to look again, 0 not by itself */
	unsigned pending_id;  /* of any nettune's set that waits to be kept; 0 none */
	int64_t deadline_ms;  /* CLOCK_BOOTTIME */
	unsigned open_id;     /* of a set left unfinished; 0 none */
	bool told;	      /* of the unfinished set */
	unsigned long looked; /* how many times: the history sees a change by it */
};

/* Look at once; also when the last look still runs. */
void nt_lookout_ask(struct nt_app *app);
/* From the loop: look when it is due. */
void nt_lookout_tick(struct nt_app *app);
/* Seconds until the waiting set is undone; negative when none waits. */
double nt_lookout_left(const struct nt_lookout *w);

#endif
