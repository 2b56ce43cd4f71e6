# SPDX-License-Identifier: GPL-2.0-or-later
libnettune_a_SOURCES += src/plan/apply.c src/plan/capture.c src/plan/check.c src/plan/check.h \
	src/plan/guardian.c src/plan/journal.c src/plan/journal.h src/plan/journal_read.c \
	src/plan/lock.c src/plan/managers.c src/plan/near.c src/plan/plan_names.c src/plan/plan.c \
	src/plan/plan_json.c src/plan/rollback.c src/plan/set.c src/plan/set.h src/plan/state.c \
	src/plan/state.h src/plan/trust.c src/plan/undo.c src/plan/undo.h src/plan/write.c
