# SPDX-License-Identifier: GPL-2.0-or-later
libnettune_a_SOURCES += src/report/fold.c src/report/fold.h src/report/json.c \
	src/report/text.c src/report/text.h src/report/text_finding.c \
	src/report/text_probe.c src/report/text_unknown.c src/report/wrap.c src/report/wrap.h
