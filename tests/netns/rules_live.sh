# SPDX-License-Identifier: GPL-2.0-or-later
# Faults planted with ip, ethtool and sysctl on links of this test's own: each is found where
# it is and nowhere else, what is proposed cures it when another program does it, and links
# at their defaults are left alone.
. "${SRCDIR:?}/tests/lib/tap.sh"
in_netns "$@"
ip link add probe0 type veth peer name probe1 2>/dev/null || skip_all "no veth in this kernel"
ip link del probe0
export NETTUNE_RULES_DIR=$SRCDIR/rules
python3 "$SRCDIR/tests/lib/rules_live.py" "$NETTUNE" "$SRCDIR/tests/lib/rules_live.json" >"$TMP/tap" 2>"$TMP/err"
rc=$?
take_tap <"$TMP/tap"
[ "$rc" -eq 0 ] || diag <"$TMP/err"
ok "$((rc != 0))" "the whole list was gone through"
done_testing
