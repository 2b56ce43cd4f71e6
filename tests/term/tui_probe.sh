#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# The probe screen against a real server: refused, a wrong key, stopped, measured with what
# is found at the other end, written to a file, and compared with a second run.
. "${SRCDIR:?}/tests/lib/tap.sh"
alone
in_netns "$@"
. "$SRCDIR/tests/lib/tmux.sh"

term_host
ip addr add 192.0.2.1/24 dev v0
ip neigh add 192.0.2.2 lladdr 02:00:00:00:00:02 dev v0 # whose answers never come
sysctl -qw net.ipv4.tcp_sack=0
echo "the first of two shared secrets" >"$TMP/key"
echo "the other of two shared secrets" >"$TMP/wrong"
chmod 600 "$TMP/key" "$TMP/wrong"

set_field() { # KEY VALUE
	term_keys "$1"
	term_wait "$3" >/dev/null
	term_keys C-u
	term_type "$2"
	term_keys Enter
}

umask 027
term_start 100 30 "$NETTUNE"
term_wait LINK >/dev/null
term_keys p
check "without a peer it says how to get one" term_wait "nettune --serve --bind ADDRESS"
set_field e 127.0.0.1 "peer (NAME"
check "the peer is set" term_wait "peer 127.0.0.1"
term_keys Enter
check "a refused connection says what to run there" term_wait "run nettune --serve"
check "and what to do here" term_wait "Enter tries again"

"$NETTUNE" --serve --key "$TMP/key" >"$TMP/serve" 2>&1 &
server=$!
term_until file_has "$TMP/serve" listening
set_field y "$TMP/wrong" "file with the shared key"
term_keys Enter
check "a wrong key is said" term_wait "the key is wrong"

set_field e 192.0.2.2 "peer (NAME"
term_wait "peer 192.0.2.2" >/dev/null
term_keys Enter
check "a peer that does not answer: it says that it connects" term_wait "connecting to 192.0.2.2"
term_keys f
check "keys go on meanwhile" term_wait "Selective acknowledgements"
term_keys p
term_wait "connecting to" >/dev/null
term_keys s
check "s stops it" term_wait "stopped before anything was measured"

set_field e 127.0.0.1 "peer (NAME"
term_wait "peer 127.0.0.1" >/dev/null
set_field y "$TMP/key" "file with the shared key"
term_keys t d d
check "one test of ten seconds: time to look at it" term_wait "tests stream [t]   time 10 s"
term_keys Enter
check "it runs, and says how to stop" term_wait "s stops"
check "both ends are seen" term_wait "there  CPU"
check "it is measured" term_wait "UP Mbit/s"
check "and judged" term_wait "judged with what was measured"
check "the other end's findings are listed" term_wait "On 127.0.0.1:"
check "with the command to be given there" term_wait "sysctl -w net.ipv4.tcp_sack=1"

# ---- the result into a file, and never over another unasked
save() { # FILE
	term_keys w
	term_wait "write the result (JSON) to file" >/dev/null
	term_keys C-u
	term_type "$1"
	term_keys Enter
}
save "$TMP/result.json"
check "the result is written" term_wait "written: $TMP/result.json"
check "as its schema says" python3 - "$SRCDIR/schema/nettune-probe-1.json" "$TMP/result.json" <<-'PY'
	import json, sys, jsonschema
	doc = json.load(open(sys.argv[2]))
	jsonschema.validate(doc, json.load(open(sys.argv[1])))
	assert [t["test"] for t in doc["tests"]] == ["stream"], doc["tests"]
	assert doc["schema"] == "nettune-probe/1"
PY
is "its mode by the umask of who started it" "$(stat -c %a "$TMP/result.json")" 640
sum=$(sha256sum <"$TMP/result.json")
echo theirs >"$TMP/other"
chmod 604 "$TMP/other"
save "$TMP/other"
check "an existing file is asked about" term_wait "that file exists"
term_keys Enter
check "Enter alone does not replace it" term_wait "not written"
is "as cat says" "$(cat "$TMP/other")" theirs
save "$TMP/other"
term_wait "that file exists" >/dev/null
term_type yes
term_keys Enter
check "yes does" term_wait "written: $TMP/other"
is "it is the same result" "$(sha256sum <"$TMP/other")" "$sum"
is "with the mode it had" "$(stat -c %a "$TMP/other")" 604
save "$TMP/none/x"
check "a folder that is not there" term_wait "cannot write '$TMP/none/x': No such file"
mkfifo "$TMP/fifo"
save "$TMP/fifo"
check "a pipe holds nobody up" term_wait "is no regular file"

# ---- once more, and compared
term_keys c
check "one run has nothing to compare with" term_wait "nothing to compare with yet"
term_keys o
term_wait "Probe options" >/dev/null
term_keys End Up Up Up Space Escape
check "an option for the next run" term_wait "options nodelay"
term_keys Enter
term_wait "s stops" >/dev/null
check "a second run is compared with the first" term_wait "compared with"
check "in one line" term_match '[0-9] better, [0-9] worse, [0-9] within spread, [0-9] unsure'
term_keys c
check "c shows each measure" term_wait "MEASURE"
check "before, now, and the change with its sign" term_match \
	'stream +up Mbit/s +[0-9.]+ +[0-9.]+ +[-+][0-9]+\.[0-9] % [+!=?]'
check "and says what to make of it" term_wait "Two runs show no more"
check "and that the two were not alike" term_wait "had other options. Before: none. Now: nodelay."
term_keys c
check "c again: the figures" term_wait "UP Mbit/s"
term_resize 40 10
check "a narrow terminal has the figures as a sentence" term_wait "stream  up "
term_resize 100 30
term_wait "UP Mbit/s" >/dev/null

term_keys Enter
check "again" term_wait "s stops"
term_keys q q q
check "leaving does not wait for it" term_wait "[exit 0]"
term_stop
kill "$server"
wait "$server" 2>/dev/null

done_testing
