# SPDX-License-Identifier: GPL-2.0-or-later
# The shipped rules on hosts described fact by fact: drivers at their defaults, as ethtool
# prints them in the virtual machine lab, give an empty plan, planted faults exactly theirs.
. "${SRCDIR:?}/tests/lib/tap.sh"

judge=$(dirname "$NETTUNE")/tests/lib/judge
[ -x "$judge" ] || skip_all "tests/lib/judge is not built"
python3 "$SRCDIR/tests/lib/hosts.py" "$judge" "$SRCDIR/rules" "$SRCDIR"/tests/lib/hosts/*.facts >"$TMP/tap" 2>"$TMP/err"
rc=$?
take_tap <"$TMP/tap"
diag <"$TMP/err"
ok "$((rc > 1 || tap_n == 0))" "all hosts were judged"

mkdir "$TMP/hosts"
sed 's/^#plan.*/#plan/' "$SRCDIR/tests/lib/hosts/ixgbe-dropping.facts" >"$TMP/hosts/ixgbe-dropping.facts"
python3 "$SRCDIR/tests/lib/hosts.py" "$judge" "$SRCDIR/rules" "$TMP"/hosts/*.facts >"$TMP/tap" 2>&1
is "a change too many fails" "$?" 1
like "and is named" "$(cat "$TMP/tap")" "would change .*ring.rx.*not \[\]"

done_testing
