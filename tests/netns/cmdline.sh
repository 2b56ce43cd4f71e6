#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# The command line: help, version, wrong usage.
. "${SRCDIR:?}/tests/lib/tap.sh"

run "$NETTUNE" --version
is "--version succeeds" "$rc" 0
like "--version names program and version" "$out" '^nettune [0-9]+\.[0-9]+\.[0-9]+$'

run "$NETTUNE" --help
is "--help succeeds" "$rc" 0
check "--help fits a screen" test "$(printf '%s\n' "$out" | wc -l)" -le 24
check "--help fits 80 columns" test "$(printf '%s\n' "$out" | wc -L)" -le 80

run "$NETTUNE" --patch --help
like "--help is help, not the value of a mode" "$rc $out" '^0 .*--patch ID'

refuses "an unknown option" 2 "has no option '--frob'" "$NETTUNE" --frob
refuses "an unknown short option" 2 "no option '-x'" "$NETTUNE" -x
refuses "no abbreviated options" 2 "has no option '--list-fact'" "$NETTUNE" --list-fact
refuses "a value where none belongs" 2 "takes no value" "$NETTUNE" --list-facts=x
refuses "an unknown --color" 2 "option '--color': 'blue'" "$NETTUNE" --list-facts --color=blue
refuses "a mode's value that is empty" 2 "'--report': nothing follows the '='" "$NETTUNE" --report=
refuses "one that is needed, too" 2 "'--probe' needs a value: HOST" "$NETTUNE" --probe ""
refuses "an option's value that is empty" 2 "'--goal' needs a value: GOAL" "$NETTUNE" --report --goal ""
refuses "and behind an equals sign" 2 "'--color': nothing follows the '='" "$NETTUNE" --list-facts --color=
refuses "a list that names nothing" 2 "'--only': ',' names nothing" "$NETTUNE" --apply --dry-run --interval 0 --only ,
refuses "of tests, too" 2 "'--test': ',' names nothing" "$NETTUNE" --probe 127.0.0.1:1 --test ,
refuses "half a second where seconds are counted" 2 "'1.5' is not a whole number from 1 to 86400" \
	"$NETTUNE" --apply --dry-run --interval 0 --confirm 1.5
refuses "half a stream" 2 "'1.5' is not a whole number" "$NETTUNE" --probe 127.0.0.1:1 --streams 1.5
refuses "half a port" 2 "'5212.5' is not a whole number" "$NETTUNE" --serve --port 5212.5
refuses "an operand too many" 2 "unexpected operand 'eth0'" "$NETTUNE" --list-facts eth0

# a limit on the size of files is a failure like others, with nothing left behind
mkdir "$TMP/limited" "$TMP/rules"
printf '%s\n' '[r]' 'title = t' 'scope = host' 'when = cpu.count == 0' 'severity = advice' 'cure = none' 'why = w' \
	'source = s' 'example.yes = cpu.count=0' 'example.no = cpu.count=1' >"$TMP/rules/r.ini"
refuses "a file beyond its limit is told" 1 "cannot write '$TMP/limited/r.json': File too large" \
	env NETTUNE_RULES_DIR="$TMP/rules" bash -c 'ulimit -f 8; exec "$@"' - "$NETTUNE" --report=json --interval 0 --output "$TMP/limited/r.json"
is "and left out" "$(ls -A "$TMP/limited")" ""

# what is longer than stdio's buffer, and what is not
tells_full "a full disk is told" "$NETTUNE" --help
tells_full "of facts" "$NETTUNE" --list-facts
tells_full "in JSON" "$NETTUNE" --list-facts --json
tells_full "of rules in JSON" "$NETTUNE" --list-rules --json
tells_full "of tunables in JSON" "$NETTUNE" --list-tunables --json
tells_full "of patches in JSON" "$NETTUNE" --patches --all --json
tells_full "of no change sets" env NETTUNE_STATE_DIR="$TMP/state" "$NETTUNE" --history --json

done_testing
