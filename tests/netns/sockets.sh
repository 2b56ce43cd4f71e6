#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Live TCP sockets against ss, and the rules that judge them, on a path of 20 ms.
. "${SRCDIR:?}/tests/lib/tap.sh"
in_netns "$@"
[ -w /dev/net/tun ] || skip_all "no tun devices, or not for this user"

export NETTUNE_RULES_DIR=$SRCDIR/rules
S=$BUILDDIR/tests/lib/sysdump
judge() { python3 "$SRCDIR/tests/lib/compare_socks.py" "$TMP" "$@"; }
look() { # look NAME SECONDS: ss before and after
	ss -H -tinmO >"$TMP/before"
	ss -H -tinlmO >>"$TMP/before"
	"$NETTUNE" --report=json --interval "$2" >"$TMP/$1.json"
	rc=$?
	ss -H -tinmO >"$TMP/after"
	ss -H -tinlmO >>"$TMP/after"
	[ "$rc" -eq 0 ] || ok 1 "the report succeeds, interval $2"
}
fact() { # fact NAME FACT
	python3 -c 'import json, sys
h = json.load(open(sys.argv[1]))["host"]
v = h["facts"][sys.argv[2]]
print(h["absent"][sys.argv[2]] if v is None else v)' "$TMP/$1.json" "$2"
}
rule() { # rule NAME RULE: severity, cure, changes, and why
	python3 -c 'import json, sys
for f in json.load(open(sys.argv[1]))["findings"]:
    if f["rule"] == sys.argv[2]:
        print(f["severity"], f["cure"], len(f["changes"]), f["why"])' "$TMP/$1.json" "$2"
}

look none 0
is "no connection" "$(fact none tcp.sockets) $(fact none tcp.busy)" "0 0"
is "nothing to tell a share of" "$(fact none tcp.sndbuf_limited_pct)" "no connection was busy long enough"
is "no rule" "$(rule none rwnd-limited)$(rule none sndbuf-limited-fixed)$(rule none sndbuf-full-small)" ""

mkfifo "$TMP/stop"
python3 "$SRCDIR/tests/lib/tcp_path.py" <"$TMP/stop" >"$TMP/flows" 2>"$TMP/flows.err" &
flows=$!
exec 3>"$TMP/stop"
for _ in $(seq 150); do
	grep -q ready "$TMP/flows" && break
	kill -0 $flows 2>/dev/null || break
	sleep 0.1
done
if ! grep -q ready "$TMP/flows"; then
	diag <"$TMP/flows.err"
	ok 1 "connections are made"
	done_testing
fi

ss -H -tinmO >"$TMP/before"
ss -H -tinlmO >>"$TMP/before"
"$S" sockets >"$TMP/ours"
ss -H -tinmO >"$TMP/after"
ss -H -tinlmO >>"$TMP/after"
check "every socket and its values as ss says" judge sockets

for _ in 1 2 3 4 5 6; do # a buffer is full most of the time
	look life 0
	[ "$(fact life tcp.full_sndbuf)" = 32768 ] && break
done
check "shares of their lives as ss says" judge life
for _ in 1 2 3 4 5 6; do
	look now 1
	[ "$(fact now tcp.stuck_sndbuf)" = 32768 ] && break
done
check "shares of one second as ss says" judge now
is "those within the host do not count" "$(fact now tcp.sockets) $(fact now tcp.busy)" "4 3"
is "one waits for its buffer, one for the other end" \
	"$(fact now tcp.sndbuf_limited) $(fact now tcp.rwnd_limited)" "1 1"
like "which waits for its buffer" "$(fact now tcp.sndbuf_limited_socket)" ' to 10\.77\.0\.2:5001$'
is "and its buffer" "$(fact now tcp.sndbuf_limited_sndbuf)" 49152
like "which waits for the other end" "$(fact now tcp.rwnd_limited_socket)" ' to 10\.77\.0\.2:5002$'
is "a full accept queue, over loopback though" \
	"$(fact now tcp.accept_queue_pct) $(fact now tcp.accept_queue_limit) $(fact now tcp.accept_queue_socket)" \
	"100 2 127.0.0.1:5006"
like "the buffer is the program's own, and no setting is changed" "$(rule now sndbuf-limited-fixed)" \
	'^warning application 0 .* to 10\.77\.0\.2:5001\.$'
like "the other end's matter" "$(rule now rwnd-limited)" '^advice peer 0 .* to 10\.77\.0\.2:5002\.$'
is "a small buffer that is full at 20 ms" "$(fact life tcp.full_sndbuf)" 32768
like "is found by one reading" "$(rule life sndbuf-full-small)" '^warning application 0 .* to \[fd77::2\]:5003\.$'
like "and by two for what it is" "$(rule now sndbuf-full-fixed)" '^warning application 0 .* to \[fd77::2\]:5003\.$'
is "but not twice" "$(rule now sndbuf-full-small)" ""
is "nothing of all that is planned" \
	"$(python3 -c 'import json, sys; print([s for s in json.load(open(sys.argv[1]))["plan"] if "mem" in s["tunable"]])' \
		"$TMP/now.json")" "[]"

if command -v tmux >/dev/null; then
	. "$SRCDIR/tests/lib/tmux.sh"
	term_start 100 24 "$NETTUNE"
	check "the first screen counts them" term_wait "4 connections, 3 busy: 1 limited by send buffer, 1 by the receiver"
	term_keys q
	term_wait "[exit 0]" >/dev/null
	term_stop
fi
NETTUNE_FAULT='sockets:EIO' run "$NETTUNE" --report=json --interval 0.1
is "sockets that cannot be read are no failure" "$rc" 0
like "but told" "$err" '^nettune: TCP sockets: cannot '
cp "$TMP/out" "$TMP/fault.json"
is "with the reason" "$(fact fault tcp.rwnd_limited_pct)" "could not be read"
NETTUNE_FAULT='sockets#2:ENOENT' run "$NETTUNE" --report=json --interval 0.1
is "nor is a second reading that fails" "$rc$err" "0"
exec 3>&-
wait $flows
done_testing
