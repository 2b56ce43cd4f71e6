#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# The terminal is given back as it was, whatever ends the screens; stop and continue work.
. "${SRCDIR:?}/tests/lib/tap.sh"
in_netns "$@"
. "$SRCDIR/tests/lib/tmux.sh"

term_host
ip link set v1 up

for sig in TERM INT HUP SEGV ABRT; do
	term_start 80 24 "$NETTUNE"
	term_wait "LINK" >/dev/null
	pid=$(term_pid)
	kill "-$sig" "$pid"
	check "SIG$sig: ends as by the signal" term_wait "[exit $((128 + $(kill -l "$sig")))]"
	is "SIG$sig: the terminal is as before" "$(cat "$TMP/stty-after")" "$(cat "$TMP/stty-before")"
	like "SIG$sig: the cursor shows" "$(tmux -S "$TERM_SOCKET" display-message -p '#{cursor_flag} #{alternate_on}')" '^1 0$'
	term_stop
done

# job control needs an interactive shell
term_start 80 24 bash --norc --noprofile -i
term_wait "bash" >/dev/null
term_type "$NETTUNE"
term_keys Enter
term_wait "LINK" >/dev/null
term_keys C-z
check "SIGTSTP stops it" term_wait "Stopped"
term_type "echo shell is back"
term_keys Enter
check "the shell has its terminal" term_wait "shell is back"
term_type "fg"
term_keys Enter
check "fg brings the screens back" term_wait "LINK"
term_keys f
check "and keys" term_wait "Findings"
term_home >/dev/null
term_keys q
term_wait "shell is back" >/dev/null
term_type exit
term_keys Enter
term_stop

done_testing
