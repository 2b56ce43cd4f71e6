#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# --confirm, --keep and --ping: the guardian outlives nettune and everything around it.
. "${SRCDIR:?}/tests/lib/tap.sh"
in_netns "$@"

export NETTUNE_STATE_DIR=$TMP/state
ip link set lo up
ip link add v0 type veth peer name v1
ip addr add 10.9.0.1/24 dev v0
ip link set v0 up
ip link set v1 up

cat >"$TMP/plan" <<'EOF'
{ "schema": "nettune-plan/1", "steps": [
 { "tunable": "feature.tx-tcp-segmentation", "link": "v0", "from": "on", "to": "off", "rule": "t" },
 { "tunable": "link.txqueuelen", "link": "v0", "from": 1000, "to": 500, "rule": "t" },
 { "tunable": "sysctl.net.core.somaxconn", "to": 1234, "rule": "t" } ] }
EOF
apply() { "$NETTUNE" --apply --plan "$TMP/plan" "$@"; }
tso() { ethtool -k v0 | sed -n 's/.*tx-tcp-segmentation: //p'; }
now() { echo "$(tso) $(cat /sys/class/net/v0/tx_queue_len) $(sysctl -n net.core.somaxconn)"; }
before=$(now) applied="off 500 1234"
until_is() { # until_is TEXT WANT: waits, up to 20 s
	for _ in $(seq 200); do
		[ "$(now)" = "$2" ] && break
		sleep 0.1
	done
	is "$1" "$(now)" "$2"
}
guardians() { ls "$NETTUNE_STATE_DIR"/guardian-* 2>/dev/null | wc -l; }
until_gone() { # until_gone TEXT
	for _ in $(seq 200); do
		[ "$(guardians)" = 0 ] && break
		sleep 0.1
	done
	is "$1" "$(guardians)" 0
}

refuses "nothing to keep where nothing was done" 1 'no change set waits' "$NETTUNE" --keep
refuses "nor to undo" 1 'there is no change set to undo' "$NETTUNE" --rollback
check "and no state is made of it" test ! -e "$NETTUNE_STATE_DIR"

run apply --confirm 5
is "applied with --confirm 5" "$rc $(now)" "0 $applied"
like "says how to keep it" "$out" 'Undone in 5 s unless you type: nettune --keep'
until_is "nobody kept it: undone" "$before"
until_gone "and the guardian is gone"
like "history knows" "$("$NETTUNE" --history)" '^ +1 .* undone$'
refuses "--keep comes too late and says so" 1 'no change set waits' "$NETTUNE" --keep

run apply --confirm 300
is "a guardian stands by" "$(guardians)" 1
like "history tells the time left" "$("$NETTUNE" --history)" 'waiting, undone in [23][0-9]* s unless kept'
refuses "nothing is built on what may be undone" 1 'change set 2 still waits' apply
run "$NETTUNE" --keep
is "--keep" "$rc" 0
until_gone "sends the guardian home"
is "what was kept stays" "$(now)" "$applied"
run "$NETTUNE" --rollback
is "and can be undone still" "$rc $(now)" "0 $before"

run apply --confirm 300
run "$NETTUNE" --rollback
is "undone by hand before its time" "$rc $(now)" "0 $before"
until_gone "the guardian sees it"

old() { python3 "$SRCDIR/tests/lib/old_kernel.py" "$@"; }
if old true 2>/dev/null; then
	run old "$NETTUNE" --apply --plan "$TMP/plan" --confirm 300
	is "a guardian on a kernel before 5.9" "$rc $(guardians)" "0 1"
	run "$NETTUNE" --keep
	is "does not hold the lock of who made it" "$rc$err" 0
	"$NETTUNE" --rollback >/dev/null
	until_gone "and goes, too"
fi

# ---- nettune dies, and all that it hangs on ----------------------------------------------------

(NETTUNE_FAULT='change#2:killed' apply --confirm 300) >/dev/null 2>&1
until_is "nettune killed halfway: undone at once" "$before"
until_gone "the guardian is done"

setsid bash -c '"$0" --apply --plan "$1" --confirm 2 >/dev/null 2>&1; echo done >"$2"; sleep 300' \
	"$NETTUNE" "$TMP/plan" "$TMP/flag" &
session=$!
for _ in $(seq 200); do
	[ -e "$TMP/flag" ] && break
	sleep 0.1
done
kill -9 -- "-$session"
until_is "its whole session killed: undone all the same" "$before"
until_gone "the guardian is done, again"

# a terminal that goes, as an ssh session's does
python3 - "$NETTUNE" "$TMP/plan" <<'EOF'
import os, pty, sys, time
pid, fd = pty.fork()
if pid == 0:
    os.execv(sys.argv[1], [sys.argv[1], '--apply', '--plan', sys.argv[2], '--confirm', '2'])
while True:
    try:
        if not os.read(fd, 1024):
            break
    except OSError:
        break
os.close(fd)
os.waitpid(pid, 0)
EOF
until_is "its terminal gone: undone" "$before"
until_gone "the guardian is done, too"

run apply --confirm 3
mv "$NETTUNE_STATE_DIR" "$TMP/away"
until_is "the state folder gone: undone from memory" "$before"
rm -rf "$NETTUNE_STATE_DIR" "$TMP/away"

# ---- --ping --------------------------------------------------------------------------------------

refuses "a host that does not answer before: nothing is changed" 1 'nothing was changed: .10.9.0.99. does not answer' \
	apply --ping 10.9.0.99
is "nothing was" "$(now)" "$before"
run apply --ping 10.9.0.1
is "a host that answers all along" "$rc $(now)" "0 $applied"
refuses "nothing waits for it" 1 'needs no keeping' "$NETTUNE" --rollback --unless-kept 1
is "so nothing is undone" "$(now)" "$applied"
"$NETTUNE" --rollback >/dev/null
sed 's/net.core.somaxconn", "to": 1234/net.ipv4.icmp_echo_ignore_all", "to": 1/' "$TMP/plan" >"$TMP/deaf"
run "$NETTUNE" --apply --plan "$TMP/deaf" --ping 10.9.0.1
is "lost after a step: undone at once" "$rc $(now) $(sysctl -n net.ipv4.icmp_echo_ignore_all)" "1 $before 0"
like "and said why" "$err" "undone: '10.9.0.1' does not answer"
run "$NETTUNE" --apply --plan "$TMP/plan" --ping no.such.host.invalid
is "a name that is unknown: nothing is changed" "$rc $(now)" "1 $before"
done_testing
