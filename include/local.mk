# SPDX-License-Identifier: GPL-2.0-or-later
# No header is installed: the library is the program's own.
noinst_HEADERS = include/nettune/buf.h include/nettune/cells.h include/nettune/clock.h include/nettune/err.h include/nettune/fact.h \
	include/nettune/fact_text.h include/nettune/ini.h include/nettune/jsonw.h include/nettune/mem.h include/nettune/output.h \
	include/nettune/names.h include/nettune/patch.h include/nettune/places.h include/nettune/plan.h \
	include/nettune/probe.h include/nettune/report.h include/nettune/rule.h include/nettune/sys.h include/nettune/sysfault.h \
	include/nettune/tunable.h include/nettune/unit.h include/nettune/version.h
noinst_HEADERS += include/nettune/fact_sample.h include/nettune/ssh.h
noinst_HEADERS += include/nettune/netns.h include/nettune/ping.h
noinst_HEADERS += include/nettune/tui.h include/nettune/syssock.h
