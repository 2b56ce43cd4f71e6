#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# What others may write is not used: no file of theirs is emptied, no journal of theirs is
# written to the host, and a plan of theirs sends nothing to the terminal but text.
. "${SRCDIR:?}/tests/lib/tap.sh"
in_netns "$@"

state=$TMP/state
export NETTUNE_STATE_DIR=$state
ip link set lo up
cat >"$TMP/plan" <<'EOP'
{ "schema": "nettune-plan/1", "steps": [
 { "tunable": "sysctl.net.core.somaxconn", "to": 1234, "rule": "t" } ] }
EOP
before=$(cat /proc/sys/net/core/somaxconn)
apply() { "$NETTUNE" --apply --plan "$TMP/plan" "$@"; }
fresh() { rm -rf "$state" && mkdir -m 700 "$state"; }

fresh
chmod 777 "$state"
refuses "a state folder that all may write is refused" 1 'can be written by others' apply
is "and nothing was made in it" "$(ls -A "$state")" ""
refuses "for undoing too" 1 'can be written by others' "$NETTUNE" --rollback
chmod 700 "$state"
mkdir -m 777 "$state/changes"
chmod 777 "$state/changes"
refuses "so is a folder of journals" 1 'can be written by others' apply
is "and nothing was changed" "$(cat /proc/sys/net/core/somaxconn)" "$before"

fresh
echo precious >"$TMP/precious"
ln -s "$TMP/precious" "$state/lock"
refuses "a lock that leads elsewhere is refused" 1 "lock'" apply
is "and the file it leads to stays" "$(cat "$TMP/precious")" precious

fresh
ln -s "$TMP/precious" "$state/guardian-1"
run apply --confirm 60
is "a guardian's mark that leads elsewhere is in nobody's way" "$rc" 0
is "and the file stays" "$(cat "$TMP/precious")" precious
run "$NETTUNE" --rollback
is "and all comes back" "$(cat /proc/sys/net/core/somaxconn)" "$before"
for _ in $(seq 100); do # the guardian sees that it is not needed any more
	[ -e "$state/guardian-1" ] || break
	sleep 0.1
done

fresh
run apply
is "a folder of one's own is good" "$rc" 0
mv "$state/changes/1.journal" "$TMP/1.journal"
ln -s "$TMP/1.journal" "$state/changes/1.journal"
refuses "a journal that is elsewhere is refused" 1 "1.journal'" "$NETTUNE" --rollback 1
rm "$state/changes/1.journal"
cp "$TMP/1.journal" "$state/changes/1.journal"
chmod 666 "$state/changes/1.journal"
refuses "so is one that all may write" 1 'can be written by others' "$NETTUNE" --rollback 1
run "$NETTUNE" --history
like "and the history says so" "$out" 'unreadable: .*can be written by others'
rm "$state/changes/1.journal"
mkfifo "$state/changes/1.journal"
refuses "a pipe is no journal, and nobody waits for it" 1 'no plain file' "$NETTUNE" --rollback 1
rm "$state/changes/1.journal"
if chown 1 "$TMP/1.journal" 2>/dev/null; then
	cp -p "$TMP/1.journal" "$state/changes/1.journal"
	refuses "nor is one that belongs to somebody else" 1 'belongs to user 1' "$NETTUNE" --rollback 1
	chown 0 "$state/changes/1.journal"
else # a user namespace with one user
	cp "$TMP/1.journal" "$state/changes/1.journal"
	chmod 600 "$state/changes/1.journal"
fi
is "until then the change stays" "$(cat /proc/sys/net/core/somaxconn)" 1234
run "$NETTUNE" --rollback 1
is "the journal as it was is good" "$rc" 0
is "and undoes the change" "$(cat /proc/sys/net/core/somaxconn)" "$before"

# the end of a journal lost: nothing is claimed that is not so
fresh
run apply
head -n 1 "$state/changes/1.journal" >"$TMP/head"
cp "$TMP/head" "$state/changes/1.journal"
run "$NETTUNE" --rollback
is "a change that its journal does not know is no undone one" "$rc" 4
like "and is named" "$out" "somaxconn: was $before, is 1234 .*was not begun"
is "but not overwritten" "$(cat /proc/sys/net/core/somaxconn)" 1234
sysctl -qw net.core.somaxconn="$before"

cat >"$TMP/plan" <<'EOP'
{ "schema": "nettune-plan/1", "steps": [
 { "tunable": "sysctl.net.ipv4.tcp_congestion_control", "to": "no\u001b[2Jne", "rule": "r\u001b[2Jr" },
 { "tunable": "sysctl.net.core.somaxconn", "to": 1, "rule": "r\u001b]0;x\u0007", "selected": false,
   "left_out": "o\u001b[2Jut" } ] }
EOP
control() { grep -c $'[\x01-\x08\x0b-\x1f\x7f]' "$TMP/out" "$TMP/err" | grep -v ':0$'; }
run apply --dry-run
is "a dry run of it has something to do" "$rc" 3
is "and shows its text without control characters" "$(control)" ""
run apply
is "what the kernel does not know fails" "$rc" 1
is "and is told without control characters" "$(control)" ""

# ---- plans that do not fit ----------------------------------------------------------------------

fresh
cat >"$TMP/plan" <<'EOP'
{ "schema": "nettune-plan/1", "steps": [
 { "tunable": "link.txqueuelen", "link": "nowhere0", "to": 500, "rule": "t" },
 { "tunable": "sysctl.net.core.somaxconn", "to": 1234, "rule": "t" } ] }
EOP
refuses "a plan that names a link which is not here is refused" 1 "no link 'nowhere0'" apply
refuses "in a dry run too" 1 "no link 'nowhere0'" apply --dry-run
is "and nothing of it is done" "$(cat /proc/sys/net/core/somaxconn)" "$before"
python3 - "$TMP/plan" <<'EOP'
import json, sys
step = {"tunable": "sysctl.net.core.somaxconn", "to": 1234, "rule": "t"}
json.dump({"schema": "nettune-plan/1", "steps": [step] * 20001}, open(sys.argv[1], "w"))
EOP
refuses "a plan of too many steps is refused, and says how many" 2 'has 20001 steps' apply

# ---- a change set of another network namespace --------------------------------------------------

sed -i 's/.*/{ "schema": "nettune-plan\/1", "steps": [ { "tunable": "sysctl.net.core.somaxconn", "to": 1234, "rule": "t" } ] }/' \
	"$TMP/plan"
run apply
is "one change set here" "$rc" 0
run unshare -n "$NETTUNE" --apply --plan "$TMP/plan" --confirm 2
is "and a newer one in another namespace" "$rc" 0
refuses "which is not kept from here" 1 'waits to be kept here: number 2 is of another' "$NETTUNE" --keep
run "$NETTUNE" --rollback
is "the newest here is the one to undo" "$rc $(tail -n 1 <<<"$out")" "0 Change set 1 is undone."
refuses "then there is none here" 1 'to undo here: number 2 is of another' "$NETTUNE" --rollback
done_testing
