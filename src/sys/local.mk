# SPDX-License-Identifier: GPL-2.0-or-later
libnettune_a_SOURCES += src/sys/eth_table.c src/sys/eth_table.h src/sys/ethio.c \
	src/sys/ethio.h src/sys/ethio_feat.c src/sys/ethio_link.c src/sys/ethio_rss.c src/sys/ethnl.c \
	src/sys/ethnl.h src/sys/ethnl_parse.c src/sys/fault.c src/sys/fault.h src/sys/fault_spec.c src/sys/file.c src/sys/live.c src/sys/live.h \
	src/sys/newer.h src/sys/nl.c src/sys/nl.h src/sys/route.c src/sys/rtnl.c \
	src/sys/rtnl.h src/sys/rtnl_links.c src/sys/rtnl_parse.c src/sys/ssh.c src/sys/sys.c
libnettune_a_SOURCES += src/sys/monitor.c src/sys/sockdiag.c src/sys/sockdiag.h
libnettune_a_SOURCES += src/sys/netns.c src/sys/ping.c
