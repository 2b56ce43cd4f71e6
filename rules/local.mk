# SPDX-License-Identifier: GPL-2.0-or-later
rulesdir = $(pkgdatadir)/rules
dist_rules_DATA = rules/buffers.ini rules/coalesce.ini rules/cpu.ini rules/driver.ini rules/host.ini \
	rules/link.ini rules/offload.ini rules/probe.ini rules/qdisc.ini rules/reported.ini \
	rules/ring.ini rules/stacked.ini rules/tcp.ini rules/tsq.ini rules/virt.ini
EXTRA_DIST += rules/README.md
