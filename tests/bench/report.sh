#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# How long a report takes with few and with many links: make bench. Not a test: it needs a
# build without sanitizers and a machine without other work to mean anything.
: "${NETTUNE:?}" "${SRCDIR:?}"
flags=-mn
[ "$(id -u)" = 0 ] || flags=-Urmn
exec unshare $flags bash -c '
	mount -t sysfs sysfs /sys 2>/dev/null
	sysctl -qw net.ipv6.conf.all.disable_ipv6=1 net.ipv6.conf.default.disable_ipv6=1
	exec python3 "$SRCDIR/tests/bench/report.py" "$NETTUNE"'
