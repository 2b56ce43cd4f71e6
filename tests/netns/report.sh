#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# nettune --report on a live namespace, judged by ethtool, sysctl, ip and the JSON Schema.
. "${SRCDIR:?}/tests/lib/tap.sh"
in_netns "$@"

# rules of the test's own, so that it does not hang on the rule base
export NETTUNE_RULES_DIR=$TMP/rules
mkdir "$NETTUNE_RULES_DIR"
cat >"$NETTUNE_RULES_DIR/tcp.ini" <<'EOF'
[no-window-scaling]
title = Window scaling is off
scope = host
when = sysctl.net.ipv4.tcp_window_scaling == 0
severity = problem
cure = setting
set = sysctl.net.ipv4.tcp_window_scaling := 1
improves = throughput
why = No window above 64 KiB can be offered.
source = S3
example.yes = sysctl.net.ipv4.tcp_window_scaling=0
example.no = sysctl.net.ipv4.tcp_window_scaling=1
EOF

schema=$SRCDIR/schema/nettune-report-1.json
valid() { # valid FILE: against the schema, and no member twice in an object
	python3 - "$schema" "$1" <<'EOF'
import json, sys, jsonschema
def once(pairs):
    names = [k for k, v in pairs]
    assert len(names) == len(set(names)), 'a member twice: %s' % [n for n in names if names.count(n) > 1][:3]
    return dict(pairs)
jsonschema.validate(json.load(open(sys.argv[2]), object_pairs_hook=once), json.load(open(sys.argv[1])))
EOF
}
query() { # query FILE EXPRESSION: of the report r, printed
	python3 -c 'import json, sys; r = json.load(open(sys.argv[1])); print(eval(sys.argv[2]))' "$1" "$2"
}
now() { "$NETTUNE" --report --interval 0 "$@"; }

for f in "$SRCDIR"/tests/golden/*.json; do
	check "golden $(basename "$f") is of the schema" valid "$f"
done
sed 's/"severity": "problem"/"severity": "awful"/' "$SRCDIR/tests/golden/sick.json" >"$TMP/wrong.json"
check "the schema refuses another severity" bash -c "! $(declare -f valid); schema=$schema; ! valid $TMP/wrong.json"

# ---- a healthy pair ------------------------------------------------------------------------

ip link set lo up
ip link add v0 type veth peer name v1
ip addr add 10.9.0.1/24 dev v0
ip link set v0 up
ip link set v1 up
ip link add down0 type veth peer name down1
tap=tap0
ip tuntap add tap0 mode tap 2>/dev/null || tap= # /dev/net/tun may be closed to this user

run now
is "a healthy host: success" "$rc" 0
like "and good news" "$out" '^All well: nothing found to change'
like "with what was checked" "$out" 'v0 \(veth'
unlike "loopback and what is down are not shown" "$out" '\b(lo|down[01]|tap0)\b'
is "nothing on stderr" "$err" ""
run now --exit-code
is "--exit-code is 0 then" "$rc" 0

now --json >"$TMP/r.json" 2>"$TMP/err"
check "the JSON is of the schema" valid "$TMP/r.json"
is "--report=json is the same" "$("$NETTUNE" --report=json --interval 0 | query /dev/stdin 'sorted(r)')" \
	"$(query "$TMP/r.json" 'sorted(r)')"
is "the links are those that are up" "$(query "$TMP/r.json" 'sorted(l["name"] for l in r["links"])')" "['v0', 'v1']"
is "no change without evidence" "$(query "$TMP/r.json" 'r["plan"]')" "[]"
is "what is not known is null and has a reason" \
	"$(query "$TMP/r.json" 'all(s["facts"][n] is None for s in r["links"] + [r["host"]] for n in s["absent"])')" True

# ---- the values are what others read ---------------------------------------------------------

sysctl -a -r '^net\.' >"$TMP/sysctl.txt" 2>/dev/null
for how in netlink ioctl; do
	for l in v0 $tap; do
		dir=$TMP/$how-$l
		mkdir "$dir"
		cp "$TMP/sysctl.txt" "$dir/"
		for o in k c g a; do
			ethtool --json -$o $l >"$dir/ethtool-$o.json" 2>/dev/null
		done
		ethtool -l $l >"$dir/ethtool-l.txt" 2>/dev/null
		ethtool -i $l >"$dir/ethtool-i.txt" 2>/dev/null
		now --json --ethtool $how $l >"$dir/r.json"
		check "$l by $how: as ethtool and sysctl print it" \
			python3 "$SRCDIR/tests/lib/compare_ethtool.py" "$dir/r.json" $l "$dir"
	done
done
[ -n "$tap" ] || ok 0 "tap0: as ethtool prints it # SKIP this user may not make a tap"
ip link set v0 mtu 4321 txqueuelen 77
is "mtu and queue length are ip's" \
	"$(now --json v0 | query /dev/stdin '[r["links"][0]["facts"][n] for n in ("link.mtu", "link.txqueuelen")]')" "[4321, 77]"

# ---- faults ------------------------------------------------------------------------------------

sysctl -q -w net.ipv4.tcp_window_scaling=0
ethtool -K v0 tso off gso off >/dev/null
run now
is "a finding alone is no failure" "$rc" 0
like "the verdict comes first" "$(grep -v '^nettune\|^20' <<<"$out" | head -1)" '^1 problem'
like "the exact command is shown" "$out" 'sysctl -w net\.ipv4\.tcp_window_scaling=1'
like "and what to type next" "$out" '^Next: nettune --apply --dry-run'
run now --exit-code
is "--exit-code is 3 on a problem or warning" "$rc" 3

mkdir "$TMP/vector"
for e in min max; do
	cat >"$TMP/vector/$e.ini" <<-EOF
	[rmem-$e]
	title = The $e of tcp_rmem is 300000
	scope = host
	when = sysctl.net.ipv4.tcp_rmem.$e = 300000
	severity = warning
	cure = setting
	set = sysctl.net.ipv4.tcp_rmem.$e := 200000
	why = A test.
	source = S3
	example.yes = sysctl.net.ipv4.tcp_rmem.$e=300000
	example.no = sysctl.net.ipv4.tcp_rmem.$e=1
	[told-$e]
	title = There is tcp_rmem
	scope = host
	when = sysctl.net.ipv4.tcp_rmem.$e = 300000
	severity = advice
	cure = none
	why = A test.
	source = S3
	example.yes = sysctl.net.ipv4.tcp_rmem.$e=300000
	example.no = sysctl.net.ipv4.tcp_rmem.$e=1
	EOF
done
before=$(sysctl -n net.ipv4.tcp_rmem)
sysctl -q -w net.ipv4.tcp_rmem='300000 250000 300000'
NETTUNE_RULES_DIR=$TMP/vector now >"$TMP/vector.txt"
sed -n 's/^ *\(sysctl -w net.ipv4.tcp_rmem=.*\)/\1/p' "$TMP/vector.txt" >"$TMP/by-hand"
is "two findings in one vector, two commands" "$(wc -l <"$TMP/by-hand")" 2
sh "$TMP/by-hand" >/dev/null
is "that do not undo one another" "$(sysctl -n net.ipv4.tcp_rmem | xargs)" "200000 250000 200000"
like "advice that needs no change says so" "$(cat "$TMP/vector.txt")" 'cure   none needed'
sysctl -q -w net.ipv4.tcp_rmem="$before"
now --json >"$TMP/r.json"
check "the JSON is still of the schema" valid "$TMP/r.json"
is "the plan holds the change" \
	"$(query "$TMP/r.json" '[(s["from"], s["to"]) for s in r["plan"] if s["tunable"] == "sysctl.net.ipv4.tcp_window_scaling"]')" "[(0, 1)]"
odd=$'it'"'"$'s\x1b\xff\\'
ip link add "$odd" type veth peer name odd1
ip link set "$odd" up
ip link set odd1 up
ethtool -K "$odd" tx-tcp-segmentation off >/dev/null
NETTUNE_RULES_DIR=$SRCDIR/rules now "$odd" | sed -n 's/^ *\(ethtool .*\)/\1/p' >"$TMP/by-hand"
is "a command for a link of an odd name" "$(wc -l <"$TMP/by-hand")" 1
bash "$TMP/by-hand"
like "is of that link" "$(ethtool -k "$odd")" 'tx-tcp-segmentation: on'
ip link del odd1
for i in $(seq 260); do echo "link add br$i type bridge"; done >"$TMP/many"
if unshare -n ip -batch "$TMP/many" 2>/dev/null; then
	run unshare -n bash -c 'ip -batch "$1" && "$0" --report --interval 0' "$NETTUNE" "$TMP/many"
	is "as many links as there are, none with counters of its driver" "$rc$err" 0
fi
run now lo
like "a named link is judged, be it loopback" "$out" '1 link judged'
long=$(printf 'alternative-%.0s' 1 2 3 4 5 6 7)name
ip link property add dev v0 altname enp7s0v0 altname "$long"
for name in enp7s0v0 "$long"; do
	is "a link by an alternative name" "$(now --json "$name" | query /dev/stdin \
		'[l["name"] for l in r["links"]]')" "['v0']"
done
NETTUNE_FAULT="link_name/enp7s0v0:EIO" refuses "a name that can't be looked for is no wrong one" \
	1 "cannot link_name 'enp7s0v0': Input/output error" now enp7s0v0
refuses "a name longer than the kernel has" 2 'there is no link' now "$long$long"

# ---- wrong usage ---------------------------------------------------------------------------------

refuses "an unknown link" 2 "there is no link 'eth7'" now v0 eth7
refuses "an unknown format" 2 "'--report': 'yaml' is none of: text, json" "$NETTUNE" --report=yaml
refuses "two formats" 2 "exclude each other" "$NETTUNE" --report=text --json
refuses "an unknown goal" 2 "'speed' is none of: balanced" now --goal speed
refuses "an unknown way" 2 "'magic' is none of: netlink, ioctl" now --ethtool magic
for s in -1 x 1e9 nan; do
	refuses "interval '$s'" 2 "'$s' is not a number" "$NETTUNE" --report --interval "$s"
done
refuses "an option of another mode" 2 "report has no option '--frob'" now --frob

# ---- rules ---------------------------------------------------------------------------------------

NETTUNE_RULES_DIR=$TMP/none refuses "no rules" 1 "cannot .*'$TMP/none'" now
NETTUNE_RULES_DIR=$TMP/none refuses "no rules, before a long look" 1 "cannot .*'$TMP/none'" \
	timeout 60 "$NETTUNE" --report --interval 3600
mkdir -p "$TMP/conf/rules.d"
printf '[mine]\ntitle = t\nscope = host\nwhen = 1 +\n' >"$TMP/conf/rules.d/broken.ini"
NETTUNE_CONF_DIR=$TMP/conf run now
is "a broken rule of the user's is no failure" "$rc" 0
like "it is told with file and line" "$err" "^$TMP/conf/rules.d/broken.ini:[0-9]+: "
like "the others are used" "$out" 'tcp_window_scaling'

run bash -c 'mount -t tmpfs none /proc/$$/fd && exec "$0" --report --interval 0' "$NETTUNE"
is "where /proc names no descriptors rules are read all the same" "$rc$err" 0
like "and judged by" "$out" 'tcp_window_scaling'

NETTUNE_RULES_DIR=$SRCDIR/rules run bash -c 'trap "" XFSZ; ulimit -f 1; "$0" --report --interval 0 2>&1 | head -1 >&2' "$NETTUNE"
like "nor without a word where they can't be copied whole" "$err" 'temporary file: File too large'

# ---- where it goes -----------------------------------------------------------------------------

run now --json --output "$TMP/out.json"
is "--output succeeds, silently" "$rc$out$err" 0
check "and the file is whole" valid "$TMP/out.json"
echo precious >"$TMP/kept"
chmod 640 "$TMP/kept"
ln -s kept "$TMP/link"
now --output "$TMP/link"
is "a link is followed, the mode kept" "$(stat -c %a "$TMP/kept") $(readlink "$TMP/link")" "640 kept"
like "the file is the report" "$(cat "$TMP/kept")" '^nettune '
mkdir "$TMP/far"
ln -s far/one "$TMP/dangling"
ln -s "$TMP/far/two" "$TMP/far/one"
run now --output "$TMP/dangling"
is "links to nothing are followed to where they lead" \
	"$rc$err $(readlink "$TMP/dangling" "$TMP/far/one" | tr '\n' ' ')$(stat -c %F "$TMP/far/two")" \
	"0 far/one $TMP/far/two regular file"
is "and nothing else is made" "$(ls "$TMP/far" | tr '\n' ' ')" "one two "
ln -s circle "$TMP/circle"
refuses "--output to a link in a circle" 1 "cannot write '$TMP/circle': Too many levels" now --output "$TMP/circle"
ln -s far "$TMP/folder"
refuses "--output to a link to a folder" 1 "cannot write '$TMP/folder': Is a directory" now --output "$TMP/folder"
ln -s no/x "$TMP/nowhere"
refuses "--output to a link into no folder" 1 "cannot write '$TMP/nowhere': No such file" now --output "$TMP/nowhere"
if chown 4321:4322 "$TMP/kept" 2>/dev/null; then
	now --output "$TMP/kept"
	is "another's file stays another's" "$(stat -c '%a %u %g' "$TMP/kept")" "640 4321 4322"
	# a user's own file of a group that the user is not in, seen from a folder of the user's
	mkdir "$TMP/own" && echo old >"$TMP/own/x" && chown -R 4321:4322 "$TMP/own" && chmod 664 "$TMP/own/x"
	chmod 755 "$TMP"
	run setpriv --reuid 4321 --regid 4321 --clear-groups "$NETTUNE" --report --interval 0 --output "$TMP/own/x"
	is "a group that can't be kept costs what it may do" \
		"$rc $(stat -c '%a %u %g' "$TMP/own/x")" "0 644 4321 4321"
fi
echo old >"$TMP/protected"
chmod 444 "$TMP/protected"
refuses "--output to a file that may not be written" 1 "cannot write '$TMP/protected': Permission denied" \
	setpriv --bounding-set=-dac_override --inh-caps=-dac_override "$NETTUNE" --report --interval 0 \
	--output "$TMP/protected"
is "which is as it was" "$(cat "$TMP/protected")" old
mkfifo "$TMP/fifo"
timeout 60 cat "$TMP/fifo" >"$TMP/from-fifo" &
now --output "$TMP/fifo"
wait "$!"
is "a pipe is written as it is" "$(grep -c '^nettune ' "$TMP/from-fifo") $(stat -c %F "$TMP/fifo")" "1 fifo"
{ echo first; now --output /dev/stdout; echo last; } >"$TMP/all"
is "/dev/stdout is what others write to as well" "$(sed -n '1p;$p' "$TMP/all" | tr '\n' ' ')" "first last "
like "and has the report" "$(cat "$TMP/all")" '^nettune '
{ now --output /dev/fd/3; echo last >&3; } 3>>"$TMP/all"
is "so is any descriptor" "$(grep -c '^nettune ' "$TMP/all") $(grep -c '^last$' "$TMP/all")" "2 2"
(cd "$TMP" && now --output - >dash 2>&1)
like "--output - is standard output" "$(cat "$TMP/dash")" '^nettune .* links? judged$'
is "and no file of that name" "$(ls "$TMP" | grep -c '^-$')" 0
refuses "--output to a folder" 1 "cannot write '$TMP': Is a directory" now --output "$TMP"
refuses "--output to a full disk" 1 "cannot write '/dev/full': No space left" now --output /dev/full
refuses "--output into no folder" 1 "cannot write '$TMP/no/x'" now --output "$TMP/no/x"
mkdir "$TMP/ro" "$TMP/tiny"
mount -t tmpfs -o ro none "$TMP/ro"
refuses "--output to a read-only place" 1 "cannot write '$TMP/ro/x': Read-only" now --output "$TMP/ro/x"
mount -t tmpfs -o size=8k none "$TMP/tiny"
echo old >"$TMP/tiny/x"
refuses "--output that outgrows the disk" 1 "cannot write .*No space left" now --json --output "$TMP/tiny/x"
is "the old file is as it was, alone" "$(ls "$TMP/tiny"; cat "$TMP/tiny/x")" $'x\nold'
umount "$TMP/ro" "$TMP/tiny"
mkdir "$TMP/cut"
is "cut short by Ctrl-C it leaves a whole file or none" \
	"$(python3 - "$NETTUNE" "$TMP/cut" <<'EOF'
import json, os, signal, subprocess, sys
bad = []
for _ in range(10):
    p = subprocess.Popen([sys.argv[1], '--report=json', '--interval', '0', '--output', sys.argv[2] + '/x'])
    while p.poll() is None and not os.listdir(sys.argv[2]):
        pass
    p.send_signal(signal.SIGINT)
    p.wait()
    for name in os.listdir(sys.argv[2]):
        if name != 'x' or not json.load(open(sys.argv[2] + '/x')):
            bad.append(name)
        os.remove(sys.argv[2] + '/' + name)
print(bad)
EOF
)" '[]'
tells_full "stdout on a full disk is told" "$NETTUNE" --report --interval 0
tells_full "of a long report, too" "$NETTUNE" --report --verbose --interval 0
tells_full "and JSON" "$NETTUNE" --report --interval 0 --json
refuses "a long report to a full device" 1 "cannot write '/dev/full': No space left" now --verbose --output /dev/full
run bash -c "'$NETTUNE' --report --interval 0 --json >&-"
is "a closed stdout" "$rc" 1
like "is told, too" "$err" 'cannot write to standard output'

# ---- terminals -----------------------------------------------------------------------------------

for c in 40 57 80 100 200; do
	check "COLUMNS=$c is never exceeded" test "$(COLUMNS=$c now --verbose | wc -L)" -le $c
done
is "80 columns where nothing else is said" "$(COLUMNS='' now --verbose | wc -L | awk '$1 > 80')" ""
is "ASCII in the C locale" "$(LC_ALL=C now --verbose | LC_ALL=C grep -c '[^ -~]')" 0
like "what only some links lack is said of them" "$(COLUMNS=10000 now --verbose v0 lo)" \
	'^unknown: .* link\.speed of lo, .*the driver does not report it'
like "UTF-8 elsewhere" "$(LC_ALL=C.UTF-8 now)" '·'
on_terminal() { # on_terminal VARIABLE=VALUE...: output on a terminal of 60 columns
	env -u NO_COLOR -u COLUMNS "$@" python3 - "$NETTUNE" <<'EOF'
import fcntl, os, pty, struct, sys, termios
pid, fd = pty.fork()
if pid == 0:
    fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack('HHHH', 24, 60, 0, 0))
    os.execv(sys.argv[1], [sys.argv[1], '--report', '--interval', '0'])
out = b''
try:
    while True:
        b = os.read(fd, 65536)
        if not b:
            break
        out += b
except OSError:
    pass
os.waitpid(pid, 0)
sys.stdout.write(out.decode().replace('\r', ''))
EOF
}
esc=$'\e'
like "colour on a terminal" "$(on_terminal TERM=xterm)" "${esc}\[[0-9;]*m(PROBLEM|WARNING|ADVICE)${esc}\[0m"
is "of the terminal's width" "$(on_terminal TERM=xterm | sed "s/${esc}\[[0-9;]*m//g" | wc -L | awk '$1 > 60')" ""
unlike "none on a dumb one" "$(on_terminal TERM=dumb)" "$esc"
unlike "none with NO_COLOR" "$(on_terminal TERM=xterm NO_COLOR=1)" "$esc"
unlike "none into a pipe" "$(env -u NO_COLOR TERM=xterm "$NETTUNE" --report --interval 0)" "$esc"
like "--color=always into a pipe, too" "$(now --color=always)" "$esc"

ip link add dev --apply type veth peer name v3
like "what to type next takes no link for an option" "$(now --goal cpu -- v0 --apply)" \
	'nettune --apply --dry-run --goal cpu -- v0 --apply'
ip link del dev --apply

evil=$'\e[31mx\x07\xff'
if ip link add "$evil" type veth peer name v2 && ip link set "$evil" up && ip link set v2 up; then
	now >"$TMP/evil.txt"
	is "control bytes in a link's name do not reach the terminal" \
		"$(LC_ALL=C grep -c $'[\x01-\x09\x0b-\x1f\x7f\xff]' "$TMP/evil.txt")" 0
	now --verbose --color=never >"$TMP/evil.txt"
	is "nor with --verbose" "$(LC_ALL=C grep -c $'[\x01-\x09\x0b-\x1f\x7f\xff]' "$TMP/evil.txt")" 0
	now --json >"$TMP/evil.json"
	check "the JSON is sound" valid "$TMP/evil.json"
	is "and has the name" "$(query "$TMP/evil.json" '"\x1b[31mx\x07\ufffd" in [l["name"] for l in r["links"]]')" True
	ip link del "$evil"
else
	ok 0 "control bytes in a link's name # SKIP ip refuses the name"
fi

# ---- no privilege ------------------------------------------------------------------------------

bare() { setpriv --bounding-set=-all --inh-caps=-all --no-new-privs "$@"; }
if bare true 2>/dev/null; then
	run bare "$NETTUNE" --report --interval 0
	is "without privilege: success" "$rc" 0
	like "with findings" "$out" 'tcp_window_scaling'
	bare "$NETTUNE" --report --json --interval 0 >"$TMP/bare.json"
	check "and JSON of the schema" valid "$TMP/bare.json"
else
	ok 0 "without privilege # SKIP setpriv is refused"
fi

done_testing
