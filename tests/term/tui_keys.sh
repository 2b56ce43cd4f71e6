#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# The last line names the keys that do something now, and no others.
. "${SRCDIR:?}/tests/lib/tap.sh"
in_netns "$@"
. "$SRCDIR/tests/lib/tmux.sh"

term_host
ip link set v1 up
ethtool -K v0 tso off >/dev/null
sysctl -qw net.ipv4.tcp_window_scaling=0

keys_are() { # TEXT KEYS
	check "$1" term_wait_last "$2"
}

term_start 80 24 env "NETTUNE_FAULT=change#1:hang=4000" "$NETTUNE"
term_wait "worst" >/dev/null
keys_are "links" " Enter open  f findings  p probe  a plan  h history  ? help  q quit"
term_keys f
term_keys /
term_type segmentation
term_keys Enter
keys_are "findings: one with a change" \
	" Space mark  Enter open  a plan  p probe  g goal  / filter  ? help  Esc back"
term_keys / C-u
term_type window
term_keys Enter
keys_are "findings: of the host, no link to open" \
	" Space mark  a plan  p probe  g goal  / filter  u undecided  ? help  Esc back"
term_keys u
keys_are "findings: undecided rules are not marked" \
	" a plan  p probe  g goal  / filter  u findings  ? help  Esc back"
term_home
term_keys Enter
term_match "^>- Identity" >/dev/null
keys_are "a link: a group" \
	" Enter close  / filter  c changeable  f findings  a plan  ? help  Esc back"
term_keys Enter
keys_are "a link: a closed group" \
	" Enter open  / filter  c changeable  f findings  a plan  ? help  Esc back"
term_keys c
term_keys Down
keys_are "a link: a value that can be changed" \
	" Enter edit  / filter  c all  f findings  a plan  ? help  Esc back"
term_keys c
term_keys Home Enter Down
keys_are "a link: a value that cannot" " / filter  c changeable  f findings  a plan  ? help  Esc back"
term_home
term_keys h
term_wait "nothing has been changed by nettune" >/dev/null
keys_are "an empty history: nothing to undo" " r reload  ? help  Esc back"
term_home
term_keys x
keys_are "patches" " l all  ? help  Esc back"
term_keys l
keys_are "all patches" " l this host's  ? help  Esc back"

# ---- the plan, from phase to phase
term_home
term_keys a
keys_are "a plan to apply" \
	" Space select  t timer 60 s  A apply  w write plan  ? help  Esc back"
term_resize 40 10
keys_are "in 40 columns, what changes something comes first" " Space select  A apply  ? help  Esc back"
term_resize 80 24
term_keys t
keys_are "the timer as chosen" \
	" Space select  t timer 120 s  A apply  w write plan  ? help  Esc back"
for _ in $(seq "$(term_screen | grep -c '\[x\]')"); do
	term_keys Space Down
done
check "all steps left out" term_gone '\[x\]'
keys_are "nothing to apply" " Space select  t timer 120 s  w write plan  ? help  Esc back"
term_keys n
term_wait "[x]" >/dev/null
term_keys A
keys_are "while it applies" " S stop and undo  ? help  Esc back"
check "it says how far it is" term_match '^ applying, [0-9]+ of [1-9][0-9]* done: S stops'
term_keys U
check "U then says what does undo" term_wait "still applying: S stops and undoes"
keys_are "applied: keep or undo" " K keep  U undo now  ? help  Esc back"
term_keys h
keys_are "in the history, too" " K keep  U undo now  r reload  ? help  Esc back"
term_resize 40 10
keys_are "in 40 columns" " K keep  U undo now  ? help  Esc back"
term_resize 80 24
term_keys K
keys_are "kept: it can still be undone" " U undo  r reload  ? help  Esc back"
term_keys a
keys_are "the plan that was kept" " U undo  n new plan  h history  ? help  Esc back"
term_keys U
keys_are "undone" " n new plan  h history  ? help  Esc back"
term_keys h
keys_are "nothing is left to undo" " r reload  ? help  Esc back"
term_keys '?'
check "help: more below" term_wait " PgDn down  ? help"
term_keys PageDown
check "help: more above" term_wait " PgUp up  ? help"
term_keys q q q
term_stop

# ---- nothing to change
sysctl -qw net.ipv4.tcp_window_scaling=1
"$NETTUNE" --apply --interval 0 >/dev/null 2>&1
term_start 80 24 "$NETTUNE"
term_wait LINK >/dev/null
term_keys a
term_wait "nothing to change" >/dev/null
keys_are "an empty plan" " n new plan  f findings  ? help  Esc back"

# ---- the probe
term_home
term_keys p
keys_are "no peer yet" " t tests  o options  e peer  d time  y key  ? help  Esc back"
term_keys e
term_wait "peer (NAME" >/dev/null
term_type 127.0.0.1
term_keys Enter
keys_are "a peer" " t tests  o options  r start  e peer  d time  y key  ? help  Esc back"
term_keys r
term_wait "run nettune --serve" >/dev/null
keys_are "after a refusal" " t tests  o options  r again  e peer  d time  y key  ? help  Esc back"
term_stop

done_testing
