# SPDX-License-Identifier: GPL-2.0-or-later
nettune_SOURCES += src/cmd/args.c src/cmd/cmd.h src/cmd/help.c src/cmd/interactive.c src/cmd/list_facts.c \
	src/cmd/modes.h src/cmd/table.c
nettune_SOURCES += src/cmd/check_rules.c src/cmd/list_rules.c src/cmd/rules.h
nettune_SOURCES += src/cmd/look.c src/cmd/look.h src/cmd/report.c
nettune_SOURCES += src/cmd/patch.c src/cmd/patch_load.h src/cmd/patches.c
nettune_SOURCES += src/cmd/interrupt.c src/cmd/interrupt.h src/cmd/probe.c src/cmd/probe_args.c \
	src/cmd/probe_args.h src/cmd/probe_print.c src/cmd/probe_print.h src/cmd/serve.c
nettune_SOURCES += src/cmd/apply.c src/cmd/lab.c src/cmd/list_tunables.c src/cmd/plan_text.c \
	src/cmd/plan_text.h src/cmd/rollback.c
