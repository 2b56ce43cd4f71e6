#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Every semantic patch on code of the shape it is for (tests/patch): what it makes, that
# the mail applies with git am and patch -p1, that it compiles, that a second time changes
# nothing, and that other code is left alone.
. "${SRCDIR:?}/tests/lib/tap.sh"

. "$SRCDIR/tests/lib/kernel_tree.sh"
need_tools

# Layout is the tool's own affair and differs between its versions: compare the words.
words() { tr -s '[:space:]' '\n' <"$1"; }
same_words() { # DIR WANTED
	local f
	while read -r f; do
		diff <(words "$1/$f") <(words "$2/$f") || return 1
	done < <(cd "$2" && find . -name '*.[ch]')
}

compiles() {
	local f
	while read -r f; do
		${CC:-gcc} -std=gnu11 -fsyntax-only -Wall -Werror -include "$CASES/kernel.h" \
			-Wno-unused-const-variable -x c "$f" || return 1
	done < <(find "$1" -name '*.[ch]')
}

one_case() { # ID VERSION
	local t="$1 on $2"
	fill "$TMP/tree" "$1" "$2" before
	fill "$TMP/want" "$1" "$2" after
	commit_all "$TMP/tree"
	run "$NETTUNE" --patch "$1" --tree "$TMP/tree" --output "$TMP/mail"
	is "$t: applies" "$rc" 0
	is "$t: the tree is untouched" "$(cd "$TMP/tree" && git status --porcelain)" ""
	cp -r "$TMP/tree" "$TMP/am" && cp -r "$TMP/tree" "$TMP/p1"
	check "$t: git am takes the mail" git -C "$TMP/am" am -q "$TMP/mail"
	check "$t: the result is what is wanted" same_words "$TMP/am" "$TMP/want"
	check "$t: the result compiles" compiles "$TMP/am"
	check "$t: patch -p1 takes it too" patch -s -p1 -d "$TMP/p1" -i "$TMP/mail"
	check "$t: with the same result" diff -r -x .git "$TMP/am" "$TMP/p1"
	run "$NETTUNE" --patch "$1" --tree "$TMP/am"
	is "$t: a second time there is nothing to do" "$rc/$out" "0/"
	like "$t: and that is said" "$err" "'$1': the tree \\(Linux $2\\) already has it"
	fill "$TMP/other" "$1" "$2" negative
	run "$NETTUNE" --patch "$1" --tree "$TMP/other"
	is "$t: other code is left alone" "$rc/$out" "1/"
	like "$t: and it is said which rule fails" "$err" \
		"'$1' does not match the tree .*rule '[a-z_]+' finds.*known to fit: [0-9]"
	rm -rf "$TMP/am" "$TMP/p1"
}

while read -r id version; do
	one_case "$id" "$version"
done < <(grep -v '^#' "$CASES/cases" | cut -d' ' -f1,2 | sort -u)

fill "$TMP/tree" mvneta-tx-irq 3.12.0 negative
run "$NETTUNE" --patch mvneta-tx-irq --tree "$TMP/tree"
like "half a change is none: it is said what is missing" "$err" \
	"it fits only in part, rule 'poll' finds nothing"

for cocci in "$SRCDIR"/patches/*.cocci; do
	id=$(basename "$cocci" .cocci)
	check "$id has a case and a catalogue entry" \
		bash -c "grep -q '^$id ' '$CASES/cases' && grep -qF '[$id]' '$SRCDIR/patches/catalogue.ini'"
	like "$id is licensed as the code it changes" "$(head -1 "$cocci")" \
		'^// SPDX-License-Identifier: GPL-2.0-only$'
	check "a rule points to $id" grep -qE "^patch[ =]+(.*, *)?$id(,|$)" "$SRCDIR"/rules/*.ini
	check "$id parses" spatch --very-quiet --parse-cocci "$cocci"
done
for id in $(sed -n 's/^patch *= *//p' "$SRCDIR"/rules/*.ini | tr -d , | tr ' ' '\n' | sort -u); do
	check "the rules' $id is in the catalogue" grep -qF "[$id]" "$SRCDIR/patches/catalogue.ini"
done
is "nothing is left in the scratch folder" "$(ls "$TMPDIR")" ""

done_testing
