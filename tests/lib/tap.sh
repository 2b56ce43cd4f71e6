# SPDX-License-Identifier: GPL-2.0-or-later
# Sourced by shell tests: TAP, a scratch folder, and network namespaces of the test's own.
#
#   . "${SRCDIR:?}/tests/lib/tap.sh"
#   alone                  # no other shell test runs meanwhile: this one measures
#   in_netns "$@"          # re-run this script in a fresh user+network+mount namespace
#   check "what it says" command args...
#   done_testing

set -u
: "${NETTUNE:?}" "${SRCDIR:?}"

tap_n=0 tap_failed=0
TMP=$(mktemp -d "${TMPDIR:-/tmp}/nettune-test.XXXXXX")
tap_clean() { rm -rf "$TMP"; }
trap tap_clean EXIT

# Tests that measure run alone, the others side by side: the lock is the program's own file. What
# a test left behind may hold it still, so nobody waits for ever.
if [ "${NT_IN_NETNS:-}" != 1 ]; then
	exec {nt_lock}<"$NETTUNE" && flock -s -w 300 "$nt_lock"
fi
alone() {
	[ "${NT_IN_NETNS:-}" = 1 ] || { flock -u "$nt_lock"; flock -x -w 300 "$nt_lock"; }
}

ok() { # ok STATUS TEXT
	tap_n=$((tap_n + 1))
	if [ "$1" -eq 0 ]; then
		echo "ok $tap_n - $2"
	else
		tap_failed=$((tap_failed + 1))
		echo "not ok $tap_n - $2"
	fi
}

# take_tap: what another program says on stdin, "ok TEXT" or "not ok TEXT" a line, as one's own
take_tap() {
	local line
	while IFS= read -r line; do
		case $line in
		"ok "*) ok 0 "${line#ok }" ;;
		"not ok "*) ok 1 "${line#not ok }" ;;
		*) printf '%s\n' "$line" | diag ;;
		esac
	done
}

diag() { sed 's/^/# /'; }

# check TEXT COMMAND...: passes when the command does; shows its output when it does not
check() {
	local text=$1 out rc=0
	shift
	out=$("$@" 2>&1) || rc=$?
	ok "$rc" "$text"
	[ "$rc" -eq 0 ] || { printf '%s\n' "exit status $rc of: $*" "$out" | head -40 | diag; }
}

# is TEXT GOT WANT
is() {
	local rc=0
	[ "$2" = "$3" ] || rc=1
	ok "$rc" "$1"
	[ "$rc" -eq 0 ] || printf 'got:  %s\nwant: %s\n' "$2" "$3" | diag
}

# like TEXT GOT EXTENDED-REGEX
like() {
	local rc=0
	printf '%s\n' "$2" | grep -Eq -- "$3" || rc=1
	ok "$rc" "$1"
	[ "$rc" -eq 0 ] || printf 'got:  %s\nwant: /%s/\n' "$2" "$3" | diag
}

unlike() {
	local rc=0
	! printf '%s\n' "$2" | grep -Eq -- "$3" || rc=1
	ok "$rc" "$1"
	[ "$rc" -eq 0 ] || printf 'got:  %s\nnot:  /%s/\n' "$2" "$3" | diag
}

# run COMMAND...: $rc, $out, $err. A crash (status over 125) is never a refusal.
run() {
	rc=0
	"$@" >"$TMP/out" 2>"$TMP/err" </dev/null || rc=$?
	out=$(cat "$TMP/out") err=$(cat "$TMP/err")
	if [ "$rc" -ge 125 ]; then
		ok 1 "no crash of: $*"
		head -40 "$TMP/err" | diag
	fi
}

# refuses TEXT STATUS REGEX COMMAND...: exactly that status, one line on stderr that matches,
# nothing on stdout
refuses() {
	local text=$1 want=$2 re=$3
	shift 3
	run "$@"
	if [ "$rc" -eq "$want" ] && [ "$(printf '%s\n' "$err" | wc -l)" -eq 1 ] && [ -z "$out" ] &&
		printf '%s\n' "$err" | grep -Eq -- "$re"; then
		ok 0 "$text"
	else
		ok 1 "$text"
		printf 'status %s (want %s)\nstderr: %s\nwant: /%s/\nstdout: %s\n' \
			"$rc" "$want" "$err" "$re" "$(printf '%s' "$out" | head -5)" | diag
	fi
}

# tells_full TEXT COMMAND...: with stdout on a full disk it fails, and says why
tells_full() {
	local text=$1
	shift
	refuses "$text" 1 'cannot write to standard output: No space left on device$' \
		bash -c '"$@" >/dev/full' - "$@"
}

skip_all() {
	echo "1..0 # SKIP $1"
	exit 0
}

# Run this script again in a network (and, without root, user) namespace made for it, with
# its own /sys and /run, so that nothing of the host is touched.
in_netns() {
	[ "${NT_IN_NETNS:-}" = 1 ] && return 0
	local flags=-mn
	[ "$(id -u)" = 0 ] || flags=-Urmn
	unshare $flags true 2>/dev/null || skip_all "no network namespaces: unshare $flags is refused"
	trap - EXIT
	rm -rf "$TMP"
	NT_IN_NETNS=1 exec unshare $flags bash -c '
		mount --make-rprivate / 2>/dev/null
		mount -t sysfs sysfs /sys 2>/dev/null
		mount -t tmpfs tmpfs /run 2>/dev/null && mkdir -p /run/netns
		exec bash "$@"' bash "$0" "$@"
}

done_testing() {
	echo "1..$tap_n"
	exit $((tap_failed != 0))
}
