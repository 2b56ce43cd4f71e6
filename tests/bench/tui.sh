#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# What the screens cost, in a network namespace of its own.
set -eu
exec unshare -mn bash -c 'mount -t sysfs sysfs /sys && ip link set lo up &&
	exec python3 "$SRCDIR/tests/bench/tui.py" "$NETTUNE"'
