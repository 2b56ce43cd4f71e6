/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The interactive program: a stack of screens over one model, fed by workers. Screens
 * draw from the model and never read the kernel; whatever takes time is a worker's job.
 */
#ifndef TUI_APP_H
#define TUI_APP_H

#include <stdbool.h>
#include <stddef.h>

#include "model.h"
#include "plan_view.h"
#include "probe_view.h"
#include "term.h"
#include "lookout.h"

#include "nettune/rule.h"

struct nt_app;

/* A key of a screen: what help and the last line say, in this order. */
struct nt_key_help {
	int code;
	const char *label; /* in the last line, when it fits; NULL: in help only */
	const char *help;  /* one line */
};

struct nt_screen_ops {
	const char *name;		/* "Links" */
	const struct nt_key_help *keys; /* ends with code 0 */
	/* Make the screen's state from arg (may be NULL); owned by the screen. */
	void *(*open)(struct nt_app *app, const void *arg);
	/* Draw rows 1 .. rows-2; the top and last lines are the application's. */
	void (*draw)(struct nt_app *app, void *state);
	/* A key; false when the screen does not know it. */
	bool (*key)(struct nt_app *app, void *state, struct nt_key key);
	void (*close)(void *state);
	/* Text for the top line besides the name, or NULL. ret holds size bytes. */
	void (*title)(struct nt_app *app, void *state, char *ret, size_t size);
	/*
	 * Whether a key of the last line does something now. label is the table's and may
	 * be changed; it holds size bytes. NULL: all do, always.
	 */
	bool (*offers)(struct nt_app *app, void *state, int code, char *label, size_t size);
	int first; /* a key that a narrow terminal shows before the others; 0 none */
};

extern const struct nt_screen_ops nt_screen_links, nt_screen_findings, nt_screen_detail,
	nt_screen_help, nt_screen_plan, nt_screen_history, nt_screen_probe,
	nt_screen_options, nt_screen_patches;

struct nt_workers;

struct nt_app {
	struct nt_model model;
	struct nt_workers *workers;
	const struct nt_rulebase *rules;
	struct nt_plan_view plan;
	struct nt_probe_view probe;
	struct nt_lookout lookout;
	struct nt_sys *(*open_sys)(struct nt_err *err);
	void (*close_sys)(struct nt_sys *s);
	enum nt_goal goal;
	bool can_change; /* privileged enough to apply */
	char host[64], kernel[136];
	char ssh_link[16]; /* the link of the caller's ssh session, or "" */
	struct nt_stacked {
		const struct nt_screen_ops *ops;
		void *state;
	} stack[8];
	int depth;
	/* the keys named in the last line, for the mouse */
	struct nt_bar_key {
		int code, from, to; /* columns */
	} bar[16];
	int n_bar;
	bool quit;
	char message[200]; /* shown above the last line until the next key */
	char *noted;	   /* what a worker told last: it tells it at each reading */
	/* findings marked for the plan, or out of it: "RULE LINK" each */
	char **marks;
	size_t n_marks, cap_marks;
	/* values typed by hand on the detail screen, for the plan */
	struct nt_edit {
		char *tunable, *link, *value;
	} * edits;
	size_t n_edits, cap_edits;
};

/* Screens: put one on top, take the top one off (never the last). */
void nt_app_push(struct nt_app *app, const struct nt_screen_ops *ops, const void *arg);
void nt_app_pop(struct nt_app *app);
void nt_app_say(struct nt_app *app, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

/* Marks, by rule id and link name ("" host). */
bool nt_app_marked(const struct nt_app *app, const char *rule, const char *link);
void nt_app_mark(struct nt_app *app, const char *rule, const char *link, bool on);

/* Edits: the value typed for a tunable, or NULL; value NULL forgets it. */
const char *nt_app_edited(
	const struct nt_app *app, const char *tunable, const char *link);
void nt_app_edit(
	struct nt_app *app, const char *tunable, const char *link, const char *value);

/* The role, sign and word of a severity: never colour alone. */
enum nt_role nt_severity_role(enum nt_severity sev);
const char *nt_severity_sign(enum nt_severity sev);
const char *nt_severity_word(enum nt_severity sev);

/* For the prompt, which has a loop of its own: draw everything, take in the news. */
void nt_app_draw(struct nt_app *app);
void nt_app_news(struct nt_app *app);

/*
 * Ask for one line in the line above the last. initial may be NULL. The workers go on.
 * The answer (caller frees), or NULL on Esc.
 */
char *nt_app_prompt(struct nt_app *app, const char *question, const char *initial);

#endif
