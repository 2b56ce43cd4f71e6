# SPDX-License-Identifier: GPL-2.0-or-later
# The shipped rules: every example holds, and what no single rule shows.
. "${SRCDIR:?}/tests/lib/tap.sh"

check "all examples of the shipped rules hold" "$NETTUNE" --check-rules
check "names, sources and patches of the rules agree with the rest" \
	python3 "$SRCDIR/tests/lib/rule_base.py" "$SRCDIR/rules" "$SRCDIR/patches"

mkdir "$TMP/rules"
sed 's/^set      = sysctl.net.ipv4.tcp_sack := 1/set      = sysctl.net.ipv4.tcp_sack := 0/' \
	"$SRCDIR/rules/tcp.ini" >"$TMP/rules/tcp.ini"
NETTUNE_RULES_DIR=$TMP/rules run "$NETTUNE" --check-rules
is "an example that no longer shows its change fails" "$rc" 1
sed 's/^source   = K4.4$/source   = K9.9/; s/^\[timestamps-off\]/[sack-off]/' \
	"$SRCDIR/rules/tcp.ini" >"$TMP/rules/tcp.ini"
sed '/^patch/s/= .*/= no-such-patch/' "$SRCDIR/rules/tsq.ini" >"$TMP/rules/tsq.ini"
run python3 "$SRCDIR/tests/lib/rule_base.py" "$TMP/rules" "$SRCDIR/patches"
is "faults across rules are found" "$rc" 1
like "a name that comes twice" "$out" '^sack-off: twice'
like "a source that is no id" "$out" 'sources are not ids: K9.9'
like "a patch that is not there" "$out" 'there is no patch no-such-patch'
like "a patch that no rule points to" "$out" 'no rule points to the patch mvneta-tx-irq'

done_testing
