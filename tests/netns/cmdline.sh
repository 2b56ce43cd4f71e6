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
refuses "an operand too many" 2 "unexpected operand 'eth0'" "$NETTUNE" --list-facts eth0

run bash -c "'$NETTUNE' --list-facts >/dev/full"
is "a full disk is not success" "$rc" 1
like "and is told" "$err" 'cannot write to standard output'

done_testing
