#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# --check-rules, --list-rules, rules of this host, and nettune-rules(5).
. "${SRCDIR:?}/tests/lib/tap.sh"

man=$SRCDIR/man/nettune-rules.5

run() { # run COMMAND...: sets out, err, rc
	rc=0
	out=$("$@" 2>"$TMP/err") || rc=$?
	err=$(cat "$TMP/err")
}

rule() { # rule NAME TITLE: a whole rule
	printf '[%s]\ntitle = %s\nscope = host\nwhen = cpu.count > 1\nseverity = advice\n' "$1" "$2"
	printf 'cure = none\nwhy = w\nsource = S\nexample.yes = cpu.count=2\nexample.no = cpu.count=1\n'
}

# the shipped ones
run "$NETTUNE" --check-rules
is "the shipped rules are whole and their examples hold" "$rc $err" "0 "
like "it says how many" "$out" '^[0-9]+ rules, all examples hold$'
n=${out%% *}
check "there are at least 25" test "$n" -ge 25
run "$NETTUNE" --list-rules
is "--list-rules lists as many" "$rc $(grep -c '^[a-z0-9]' <<<"$out")" "0 $n"
"$NETTUNE" --list-rules --json >"$TMP/rules.json"
check "--list-rules --json has what each rule needs" python3 - "$TMP/rules.json" "$n" <<'PY'
import json, sys
rules = json.load(open(sys.argv[1]))
assert len(rules) == int(sys.argv[2]), len(rules)
names = [r['rule'] for r in rules]
assert names == sorted(set(names))
for r in rules:
    assert r['severity'] in ('good', 'advice', 'warning', 'problem'), r
    assert r['scope'] in ('host', 'link', 'path'), r
    assert r['title'] and r['why'] and r['when'] and r['sources'] and r['line'] > 0, r
    assert r['user'] is False and r['file'].endswith('.ini'), r
PY

# files by name
rule one "First" >"$TMP/good.ini"
run "$NETTUNE" --check-rules "$TMP/good.ini"
is "a good file" "$rc $out $err" "0 1 rule, all examples hold "
{ rule two "Cut; short"; rule three "Third"; rule four "Fourth"; } >"$TMP/bad.ini"
sed -i '24s/.*/when = cpu.count > 1MB/; 20s/.*/example.no = cpu.count=4/' "$TMP/bad.ini"
run "$NETTUNE" --check-rules "$TMP/bad.ini" "$TMP/good.ini"
is "a bad file fails" "$rc $out" "1 "
is "each fault with file, line and rule" "$err" \
	"$TMP/bad.ini:2: [two] ';' in the value of 'title' would cut it short
$TMP/bad.ini:24: [four] when: compares a plain number with a size
$TMP/bad.ini:20: [three] example.no: the rule fires"
rule five "Sysctls" | sed "s/^when.*/when = cpu.count > 1 and sysctl.net.ipv4.tcp_sack > 0 and sysctl.net.ipv4.conf.eth0.rp_filter > 0 and\\\\\n  sysctl.net.ipv4.tcp_sakc > 0/" >"$TMP/doubt.ini"
sed -i 's/^\(example[^=]*=.*\)/\1, sysctl.net.ipv4.tcp_sack=1, sysctl.net.ipv4.conf.eth0.rp_filter=1, sysctl.net.ipv4.tcp_sakc=1/' "$TMP/doubt.ini"
run "$NETTUNE" --check-rules "$TMP/doubt.ini"
is "a sysctl of no kernel is a warning" "$rc $out $err" "0 1 rule, all examples hold \
$TMP/doubt.ini:$(grep -n tcp_sakc "$TMP/doubt.ini" | head -1 | cut -d: -f1): warning: [five] when: \
no kernel is known to have 'sysctl.net.ipv4.tcp_sakc'"
run "$NETTUNE" --check-rules "$TMP/no.ini"
is "a file that is not there" "$rc $out $err" \
	"2  nettune: cannot read '$TMP/no.ini': No such file or directory"
run "$NETTUNE" --check-rules "$TMP"
is "a folder" "$rc $out $err" "2  nettune: '$TMP' is a folder"
printf '[a\033[31m]\n' >"$TMP/esc.ini"
run "$NETTUNE" --check-rules "$TMP/esc.ini"
unlike "no control bytes reach the terminal" "$err" $'\033'

# rules of this host
mkdir -p "$TMP/conf/rules.d" "$TMP/shipped"
export NETTUNE_CONF_DIR=$TMP/conf NETTUNE_RULES_DIR=$TMP/shipped
rule one "Shipped one" >"$TMP/shipped/s.ini"
rule two "Shipped two" >>"$TMP/shipped/s.ini"
rule one "Own one" >"$TMP/conf/rules.d/own.ini"
rule two "Own two" | sed 's/^scope.*/scope = planet/' >>"$TMP/conf/rules.d/own.ini"
run "$NETTUNE" --list-rules
like "a rule of this host replaces the shipped one" "$out" '^    Own one$'
unlike "which is gone" "$out" 'Shipped one'
like "a broken one leaves the shipped one" "$out" '^    Shipped two$'
is "and is told" "$rc $err" \
	"1 $TMP/conf/rules.d/own.ini:13: [two] scope: 'planet' is none of host, link, path"
run "$NETTUNE" --check-rules
is "--check-rules reads both folders" "$rc $(grep -c own.ini:13 <<<"$err")" "1 1"
NETTUNE_RULES_DIR=$TMP/none run "$NETTUNE" --list-rules
is "no shipped rules" "$rc $err" \
	"1 nettune: cannot read the rules in '$TMP/none': No such file or directory"
touch "$TMP/conf2"
NETTUNE_CONF_DIR=$TMP/conf2 run "$NETTUNE" --list-rules
is "a folder of own rules that cannot be read leaves the shipped ones" "$rc $(grep -c '^    Shipped' <<<"$out") $err" \
	"1 2 nettune: cannot read the rules in '$TMP/conf2/rules.d': Not a directory"
unset NETTUNE_RULES_DIR NETTUNE_CONF_DIR

# nettune-rules(5): its rules hold; it has every key and function, and no other
sed -n '/^\.Bd -literal/,/^\.Ed/ { /^\./d; s/\\e$/\\/; p }' "$man" >"$TMP/man.ini"
run "$NETTUNE" --check-rules "$TMP/man.ini"
is "the rules in the manual hold" "$rc $out $err" "0 4 rules, all examples hold "
keys=$(sed -n 's/^\t{ \.name = "\([a-z.]*\)".*/\1/p' "$SRCDIR/src/rule/load.c" | sort)
is "the manual has the keys" "$(sed -n '/^\.Sh FILES OF/,/^\.Ss/ s/^\.It Cm //p' "$man" |
	sed 's/ , /\n/g' | sort)" "$keys"
functions=$(sed -n 's/^\t{ "\([a-z0-9]*\)", NT_SHAPE_.*/\1/p' "$SRCDIR/src/rule/func.c" | sort)
is "the manual has the functions" \
	"$(grep -oE 'Fn [a-z0-9]+' "$man" | sed 's/Fn //' | sort -u)" "$functions"

done_testing
