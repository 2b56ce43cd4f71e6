# SPDX-License-Identifier: GPL-2.0-or-later
# The program's own; only term.c includes curses.
nettune_SOURCES += src/tui/app.c src/tui/app.h src/tui/list.c src/tui/list.h \
	src/tui/model.c src/tui/model.h src/tui/screen_detail.c src/tui/screen_findings.c \
	src/tui/command_lines.c src/tui/command_lines.h src/tui/compare.c src/tui/compare.h src/tui/graph.c src/tui/graph.h \
	src/tui/key_line.c src/tui/key_line.h \
	src/tui/prompt.c src/tui/probe_lines.c src/tui/probe_lines.h src/tui/save.c src/tui/save.h \
	src/tui/plan_change.c src/tui/plan_change.h src/tui/plan_job.c src/tui/plan_job.h \
	src/tui/plan_make.c src/tui/plan_make.h \
	src/tui/plan_view.c src/tui/plan_view.h src/tui/probe_view.c src/tui/probe_view.h \
	src/tui/screen_options.c src/tui/screen_patches.c src/tui/screen_probe.c src/tui/screen_help.c \
	src/tui/screen_history.c src/tui/screen_plan.c src/tui/screen_links.c src/tui/term.c src/tui/term.h \
	src/tui/lookout.c src/tui/lookout.h \
	src/tui/workers.c src/tui/workers.h src/tui/wrap.c src/tui/wrap.h
