#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# --patch: wrong ids, trees it must not touch, spatch missing, failing or interrupted;
# several patches at once; --write. And --patches on the host that runs the test.
. "${SRCDIR:?}/tests/lib/tap.sh"
. "$SRCDIR/tests/lib/kernel_tree.sh"
need_tools

tree=$TMP/tree
c=drivers/net/ethernet/marvell/mvneta.c
clean() { git -C "$tree" status --porcelain --ignored; }

fill "$tree" mvneta-tx-irq 3.12.0 before
mkdir -p "$tree/net/ipv4"
cp "$CASES/tsq-floor/tcp_output.before.c" "$tree/net/ipv4/tcp_output.c"
chmod -R u+w "$tree" # the sources may be read-only
commit_all "$tree"
patch_() { "$NETTUNE" --patch "$@"; }

refuses "no such id" 2 "no patch 'tsq-flor'; nettune --patches --all" \
	patch_ tsq-flor --tree "$tree"
refuses "no id at all" 2 "needs the id of a patch" patch_ , --tree "$tree"
refuses "no tree" 2 "needs --tree DIR" patch_ tsq-floor
refuses "--write and --output" 2 "exclude each other" \
	patch_ tsq-floor --tree "$tree" --write --output "$TMP/x"
refuses "two that exclude each other" 2 \
	"'mvneta-tx-irq' and 'mvneta-reap-in-poll' exclude each other" \
	patch_ mvneta-tx-irq,mvneta-reap-in-poll --tree "$tree"
refuses "what never became a patch" 2 "'ipoib-batching' never became a patch" \
	patch_ ipoib-batching --tree "$tree"
refuses "no such folder" 1 "cannot read '$TMP/none': No such file" \
	patch_ tsq-floor --tree "$TMP/none"
refuses "a file for a tree" 1 "is not a folder" patch_ tsq-floor --tree "$tree/Makefile"
mkdir "$TMP/plain"
refuses "a folder without Makefile" 1 "is not a kernel tree: it has no Makefile" \
	patch_ tsq-floor --tree "$TMP/plain"
echo 'all:; true' >"$TMP/plain/Makefile"
refuses "another project's Makefile" 1 "its Makefile tells no kernel version" \
	patch_ tsq-floor --tree "$TMP/plain"
refuses "a tree without the file" 1 \
	"the tree \\(Linux 3.12.0\\) has no 'drivers/of/platform.c', which 'of-dma-mask'" \
	patch_ of-dma-mask --tree "$tree"
make_tree "$TMP/extra" 3.12.0 2
refuses "an odd EXTRAVERSION is no part of the number" 1 "the tree \\(Linux 3.12.0\\) has no" \
	patch_ tsq-floor --tree "$TMP/extra"
make_tree "$TMP/extra" 3.13.0 " -rc1"
refuses "a release candidate is" 1 "the tree \\(Linux 3.13.0-rc1\\) has no" \
	patch_ tsq-floor --tree "$TMP/extra"
is "all that changed nothing" "$(clean)" ""

# several at once
run patch_ mvneta-txdone-1,tsq-floor,mvneta-tx-irq --tree "$tree" --output "$TMP/mbox"
is "several apply" "$rc" 0
is "as mails in the right order" \
	"$(sed -n 's/^Subject: \[PATCH \(...\)\].*: \(.*\)/\1 \2/p' "$TMP/mbox" | cut -c1-24)" \
	"1/3 keep a floor of tcp_
2/3 free sent frames fro
3/3 ask for a Tx interru"
like "with a Fixes: line" "$(cat "$TMP/mbox")" '^Fixes: c9eeec26e32e \("tcp: TSQ can use'
cp -r "$tree" "$TMP/am"
check "git am takes them all" git -C "$TMP/am" am -q "$TMP/mbox"
is "as three commits" "$(git -C "$TMP/am" rev-list --count HEAD)" 4
run patch_ mvneta-tx-irq --tree "$tree"
like "what is needed comes along" "$err" "'mvneta-txdone-1' comes along"
like "and is in the output" "$out" '^\+#define MVNETA_TXDONE_COAL_PKTS 1$'
like "the date is one" "$out" '^Date: (Mon|Tue|Wed|Thu|Fri|Sat|Sun), [0-9]{2} [A-Z][a-z]{2} 20'

# a tree whose version says otherwise
sed -i 's/PATCHLEVEL = 12/PATCHLEVEL = 9/' "$tree/Makefile"
run patch_ tsq-floor --tree "$tree"
is "the code decides, not the version" "$rc" 0
like "but the version is told" "$err" "Linux 3.9.0 says: not affected, the fault came with"
sed -i 's/PATCHLEVEL = 9/PATCHLEVEL = 12/' "$tree/Makefile"

# --write
echo '/* mine */' >>"$tree/$c"
refuses "a dirty file" 1 "'$c' has changes that are not committed" \
	patch_ tsq-floor,mvneta-tx-irq --tree "$tree" --write
is "and the clean one stays too" "$(clean)" " M $c"
git -C "$tree" checkout -q .
chmod 444 "$tree/$c"
refuses "a read-only file" 1 "'$tree/$c' is read-only" \
	patch_ tsq-floor,mvneta-txdone-1 --tree "$tree" --write
chmod 640 "$tree/$c"
chmod 555 "$tree/net/ipv4"
refuses "a read-only folder" 1 "/net/ipv4' is read-only" \
	patch_ mvneta-txdone-1,tsq-floor --tree "$tree" --write
chmod 755 "$tree/net/ipv4"
is "and nothing changed" "$(clean)" ""
mv "$tree/$c" "$TMP/real.c" && ln -s "$TMP/real.c" "$tree/$c"
git -C "$tree" commit -qam link
refuses "a link for a file" 1 "is not a regular file" \
	patch_ mvneta-txdone-1 --tree "$tree" --write
git -C "$tree" reset -q --hard HEAD~1
chmod 640 "$tree/$c"
mkdir "$tree-elsewhere" && mv "$tree/net/ipv4" "$tree-elsewhere/" &&
	ln -s "$tree-elsewhere/ipv4" "$tree/net/ipv4"
refuses "a folder that leads out of the tree" 1 "is outside the tree" \
	patch_ tsq-floor --tree "$tree" --write
rm "$tree/net/ipv4" && mv "$tree-elsewhere/ipv4" "$tree/net/"
run patch_ tsq-floor,mvneta-tx-irq --tree "$tree" --write
is "--write says what it did" "$rc/$out" "0/tsq-floor applied
mvneta-tx-irq applied
mvneta-txdone-1 applied"
is "and changed just the files" "$(clean)" " M $c
 M net/ipv4/tcp_output.c"
is "whose mode stays" "$(stat -c %a "$tree/$c")" 640
check "as git am would have" diff -r -x .git "$tree" "$TMP/am"
git -C "$tree" commit -qam done
run patch_ tsq-floor,mvneta-tx-irq --tree "$tree" --write
is "again there is nothing to do" "$rc/$out/$(clean)" "0//"
fill "$TMP/nogit" tsq-floor 3.12.0 before
run patch_ tsq-floor --tree "$TMP/nogit" --write
is "a tree outside git is written" "$rc/$out" "0/tsq-floor applied"
like "and the doubt is told" "$err" "is not under git"

# spatch: missing, failing, silent, interrupted
fill "$tree" tsq-floor 3.12.0 before
refuses "spatch missing" 1 "spatch is not installed: .* coccinelle" \
	env PATH=/nonexistent "$NETTUNE" --patch tsq-floor --tree "$tree"
mkdir "$TMP/bin"
fake() { printf '#!/bin/sh\n%s\n' "$1" >"$TMP/bin/spatch" && chmod +x "$TMP/bin/spatch"; }
with_fake() { PATH=$TMP/bin:$PATH "$NETTUNE" --patch tsq-floor --tree "$tree"; }
fake 'echo "Fatal error: out of cheese" >&2; exit 3'
refuses "spatch failing" 1 "spatch failed .*\\(status 3\\): Fatal error: out of cheese" with_fake
fake 'echo "minus: parse error" >&2'
refuses "spatch failing with status 0" 1 "spatch failed .*: minus: parse error" with_fake
fake 'exit 0'
refuses "spatch doing nothing" 1 "rule 'limit' finds nothing" with_fake
cp "$tree/net/ipv4/tcp_output.c" "$TMP/before.c"
fake 'exec sleep 60'
PATH=$TMP/bin:$PATH "$NETTUNE" --patch tsq-floor --tree "$tree" >"$TMP/out" 2>&1 &
pid=$!
for _ in $(seq 100); do
	pgrep -P "$pid" >/dev/null && [ -n "$(ls "$TMPDIR")" ] && break
	sleep 0.1
done
child=$(pgrep -P "$pid")
kill -TERM "$pid"
rc=0
wait "$pid" || rc=$?
is "a signal ends it as signals do" "$rc" 143
is "with the scratch folder gone" "$(ls "$TMPDIR")" ""
is "and spatch" "$(ps -o stat= -p "$child" | grep -v Z)" ""
check "and the tree as it was" cmp "$tree/net/ipv4/tcp_output.c" "$TMP/before.c"

# the host
run "$NETTUNE" --patches
is "--patches works on any host" "$rc" 0
like "and says how many concern it" "$out" '^Linux .*: [0-9]+ of 10 known faults'
run "$NETTUNE" --patches --all --json
is "--json works" "$rc" 0
printf '%s\n' "$out" >"$TMP/json"
check "and is what it says" python3 - "$TMP/json" "$SRCDIR/patches/catalogue.ini" <<'PY'
import json, re, sys
j = json.load(open(sys.argv[1]))
ids = re.findall(r'^\[(.*)\]', open(sys.argv[2]).read(), re.M)
assert j['schema'] == 'nettune-patches/1'
assert [p['id'] for p in j['patches']] == ids, ids
assert all(p['state'] in ('affected', 'likely', 'unknown', 'not-affected') and p['reason']
           for p in j['patches'])
assert any(p['replaced'] for p in j['patches'])
assert all(p['rules'] for p in j['patches']), [p['id'] for p in j['patches'] if not p['rules']]
PY

# entries made for any host: what each state looks like
mkdir "$TMP/made"
for id in old now later; do
	printf '[%s]\ntitle = t\nsubject = s\nwhy = w\nsee = s\nsources = M1\nlicence = l\n' $id
	printf 'does = d\nevidence = e\nparts = p\nfits = 3.1\nfiles = f\n'
	case $id in
	old) printf 'affected = 2.6.12\nfixed = 2.6.13\n' ;;
	now) printf 'affected = 2.6.12..99\n' ;;
	later) printf 'affected = 2.6.12\n' ;;
	esac
done >"$TMP/made/catalogue.ini"
run env NETTUNE_PATCHES_DIR="$TMP/made" "$NETTUNE" --patches
like "a version in range is likely, or can't be told of a distribution's" "$out" \
	"^  here +(likely affected: the version says so|can't tell: a distribution's)"
like "a version not known of can't be told" "$out" "^  here +can't tell: "
unlike "what is fixed is left out" "$out" '^old$'
like "and counted" "$out" ': 2 of 3 known faults'
run env NETTUNE_PATCHES_DIR="$TMP/made" "$NETTUNE" --patches --all
like "unless all are asked for" "$out" '^  here +not affected: fixed in 2.6.13$'

# a broken catalogue
mkdir "$TMP/cat"
printf '[x]\ntitle = t\naffected = seven\n' >"$TMP/cat/catalogue.ini"
run env NETTUNE_PATCHES_DIR="$TMP/cat" "$NETTUNE" --patches
like "a fault in the catalogue is told with its line" "$err" "catalogue.ini:1: \\[x\\] 'why' is missing"
refuses "no catalogue" 1 "cannot read '$TMP/none/catalogue.ini'" \
	env NETTUNE_PATCHES_DIR="$TMP/none" "$NETTUNE" --patches

done_testing
