# SPDX-License-Identifier: GPL-2.0-or-later
libnettune_a_SOURCES += src/patch/apply.c src/patch/catalogue.c src/patch/judge.c \
	src/patch/mail.c src/patch/order.c src/patch/run.c src/patch/run.h \
	src/patch/tree.c src/patch/tree.h src/patch/write.c
