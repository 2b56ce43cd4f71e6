#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# The commands on the screens are those of the report: a vector sysctl, which is written as a
# whole, is one command with all that is found of it.
. "${SRCDIR:?}/tests/lib/tap.sh"
in_netns "$@"
. "$SRCDIR/tests/lib/tmux.sh"

export NETTUNE_STATE_DIR=$TMP/state NETTUNE_CONF_DIR=$TMP/conf
mkdir -p "$TMP/state" "$TMP/conf/rules.d"
ip link set lo up
# one finding for two elements of a vector, beside the shipped one for the third
cat >"$TMP/conf/rules.d/order.ini" <<'RULE'
[tcp-rmem-order]
title = two elements of one vector
scope = host
when = sysctl.net.ipv4.tcp_rmem.max < sysctl.net.ipv4.tcp_rmem.default
severity = problem
cure = setting
set = sysctl.net.ipv4.tcp_rmem.default := 140000
set.2 = sysctl.net.ipv4.tcp_rmem.max := 5000000
why = Because.
source = K4.4
example.yes = sysctl.net.ipv4.tcp_rmem.max=1, sysctl.net.ipv4.tcp_rmem.default=2
example.no = sysctl.net.ipv4.tcp_rmem.max=2, sysctl.net.ipv4.tcp_rmem.default=2
RULE
plant() { sysctl -qw net.ipv4.tcp_rmem="262144 131072 65536"; }
plant
command='sysctl -w net.ipv4.tcp_rmem="4096 140000 5000000"'

COLUMNS=100 "$NETTUNE" --report --interval 0 >"$TMP/report"
is "the report gives one command, for each of the findings the same" \
	"$(grep -F 'tcp_rmem="' "$TMP/report" | sed 's/^ *//' | uniq -c | sed 's/^ *//')" "2 $command"

shown_once() { [ "$(term_screen | grep -oF 'tcp_rmem="' | wc -l)" = 1 ]; }
term_start 100 40 "$NETTUNE"
term_wait "LINK" >/dev/null
term_keys f
term_wait "Findings" >/dev/null
term_keys /
term_type tcp-rmem
term_keys Enter
check "the finding with two elements" term_wait "tcp_rmem.default: 131072"
check "both are named" term_wait "tcp_rmem.max: 65536"
check "the screen has the report's command" term_wait "$command"
check "once" term_until shown_once
term_keys Down
check "the finding with the third" term_wait "tcp_rmem.min: 262144"
check "has it, too" term_wait "$command"
term_keys a
check "and so has the plan" term_wait "by hand  $command"
term_cursor_on 4
term_keys Down
term_cursor_on 5
check "for each of its steps" term_wait "by hand  $command"
term_keys Home Space
check "one left out is as it is; its own line says what it would be" \
	term_wait 'by hand  sysctl -w net.ipv4.tcp_rmem="'
term_keys Down
term_cursor_on 5
two_of_three() {
	[ "$(term_screen | sed -n 's/.*by hand  sysctl -w net.ipv4.tcp_rmem="\(.*\)".*/\1/p' |
		tr ' ' '\n' | grep -cxE '4096|140000|5000000')" = 2 ]
}
check "the others leave it out" term_until two_of_three
term_stop

# what a rule only made sure of is left out, as in the report
ip link add v0 type veth peer name v1
ip link set v0 up
ip link set v1 up
ethtool -K v0 tso off >/dev/null
term_start 100 40 "$NETTUNE"
term_wait "LINK" >/dev/null
term_keys f
term_wait "Findings" >/dev/null
term_keys /
term_type tso-off
term_keys Enter
check "a finding of a link" term_wait "feature.tx-tcp-segmentation off"
term_match '^ +rule +tso-off' >/dev/null
unlike "without what the rule only made sure of" "$(term_screen | sed -n '/ seen /,/ why /p')" \
	'driver\.enables|\.fixed|link\.sound'
term_stop
ip link del v0

# what it says is right: typed in a shell, nothing is left to find
eval "$command" >/dev/null
is "typed once, nothing is left" "$("$NETTUNE" --report --interval 0 | grep -c tcp_rmem)" 0

done_testing
