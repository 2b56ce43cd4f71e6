# SPDX-License-Identifier: GPL-2.0-or-later
# Sourced after tap.sh: a real terminal. One tmux server of the test's own.
#
#   term_host                         v0 (up) joined to v1, and a state folder of the test's own
#   term_start COLS ROWS COMMAND...   in a shell whose status is shown as "[exit N]"
#   term_keys KEY...                  tmux names: Down Enter C-c q
#   term_wait TEXT                    until TEXT is on the screen
#   term_match REGEX                  until a line matches it
#   term_gone REGEX                   until no line does
#   term_wait_last LINE               until the last line is LINE
#   term_cursor_on N                  until the cursor's '>' stands in line N, from 1
#   term_until COMMAND...             until it succeeds; a while, for machines may be busy
#   term_screen                       the screen as text: perhaps half of a new frame
#   term_home                         back to the first screen
#   term_stop
#
# Keys are taken in order, none is lost: only what is read from the screen has to be waited
# for.

TERM_N=0 # a server's end is not instant: each start has a socket of its own
TERM_SOCKET=$TMP/tmux0
TERM_KIND=${TERM_KIND:-screen-256color}

command -v tmux >/dev/null || skip_all "no tmux"

term_host() {
	export NETTUNE_STATE_DIR=$TMP/state
	mkdir "$TMP/state"
	ip link set lo up
	ip link add v0 type veth peer name v1
	ip link set v0 up
}

term_start() {
	local cols=$1 rows=$2
	shift 2
	TERM_N=$((TERM_N + 1))
	TERM_SOCKET=$TMP/tmux$TERM_N
	cat >"$TMP/term-run" <<-'RUN'
		stty -a | sed 1d >"$TERM_TMP/stty-before" # without the size
		"$@"
		rc=$?
		stty -a | sed 1d >"$TERM_TMP/stty-after"
		echo "[exit $rc]"
		exec cat
	RUN
	printf 'set -g default-terminal "%s"\nset -g status off\nset -g escape-time 0\nset -g remain-on-exit on\n' \
		"$TERM_KIND" >"$TMP/tmux.conf"
	TERM_TMP=$TMP TERM=xterm tmux -S "$TERM_SOCKET" -f "$TMP/tmux.conf" -u new-session -d \
		-x "$cols" -y "$rows" -- bash "$TMP/term-run" "$@" 2>"$TMP/tmux.err" ||
		{ diag <"$TMP/tmux.err"; return 1; }
}

term_keys() { tmux -S "$TERM_SOCKET" send-keys "$@"; }
term_type() { tmux -S "$TERM_SOCKET" send-keys -l "$1"; }
term_screen() { tmux -S "$TERM_SOCKET" capture-pane -p 2>/dev/null; }
term_resize() { tmux -S "$TERM_SOCKET" resize-window -x "$1" -y "$2"; }

term_until() { # COMMAND...
	local end=$((SECONDS + 60))
	until "$@"; do
		if [ $SECONDS -ge $end ]; then
			echo "not within a minute: $*"
			term_screen
			return 1
		fi
		sleep 0.05
	done
}

term_has() { term_screen | grep -qF -- "$1"; }
term_lacks() { ! term_screen | grep -qE -- "$1"; }
term_wait() { term_until term_has "$1"; }
term_match_now() { term_screen | grep -qE -- "$1"; }
term_match() { term_until term_match_now "$1"; }
term_gone() { term_until term_lacks "$1"; }
term_last_is() { [ "$(term_screen | sed -n '$s/ *$//p')" = "$1" ]; }
term_wait_last() { term_until term_last_is "$1"; }
term_cursor_in() { term_screen | sed -n "$1p" | grep -q '^>'; }
term_cursor_on() { term_until term_cursor_in "$1"; }
# what programs in the background say
file_has() { grep -q -- "$2" "$1" 2>/dev/null; }

# the pid of the program under test
term_pid() {
	local shell
	shell=$(tmux -S "$TERM_SOCKET" display-message -p '#{pane_pid}')
	pgrep -P "$shell" | head -1
}

# back to the first screen, whatever is open; an Esc too many does nothing there
term_at_home() {
	term_screen | sed -n 1p | grep -q ' Links ' && return
	term_keys Escape
	sleep 0.1
	return 1
}
term_home() { term_until term_at_home; }

# A terminal that goes away sends SIGCONT with its SIGHUP, and that takes from the leak checker's
# tracer the stop it waits for, for ever: the program ends before the terminal does.
term_ended() { ! kill -0 "$1" 2>/dev/null; }
term_stop() {
	local pid
	pid=$(term_pid 2>/dev/null)
	if [ -n "$pid" ]; then
		kill "$pid" 2>/dev/null
		kill -CONT "$pid" 2>/dev/null
		term_until term_ended "$pid" | diag
	fi
	tmux -S "$TERM_SOCKET" kill-server 2>/dev/null
}
trap 'term_stop; tap_clean' EXIT
