#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# The option tables (nettune --help), nettune(8) and the completion say the same.
. "${SRCDIR:?}/tests/lib/tap.sh"

man=$SRCDIR/man/nettune.8
PATH=$(dirname "$NETTUNE"):$PATH

modes=$("$NETTUNE" --help | sed -n 's/^ *nettune --\([a-z][a-z-]*\).*/\1/p')
options() { "$NETTUNE" "--$1" --help | sed -n 's/^ *--\([a-z-]*\).*/\1/p'; }
# the subsection of a mode in the manual: from its .Ss to the next
section() { awk -v m="--$1" '/^\.S[sh] / { on = 0; for (i = 2; i <= NF; i++) if ($i == m || $i == m ",") on = 1 } on' "$man"; }

check "there are modes" test -n "$modes"
for m in $modes; do
	text=$(section "$m")
	missing=
	[ -n "$text" ] || missing=" (no section)"
	for o in $(options "$m"); do
		[ "$o" = color ] || grep -qE -- "Fl -$o( |$)" <<<"$text" || missing="$missing --$o"
	done
	is "nettune(8) knows --$m and its options" "$missing" ""
done

# and the other way round: no section, no option that the program does not have
is "nettune(8) has no mode besides" "$(sed -n 's/^\.Ss \(--.*\)/\1/p' "$man" | tr -d , | tr ' ' '\n' |
	sed -n 's/^--//p' | grep -vxF -e "$modes")" ""
extra=
for m in $modes; do
	for o in $(section "$m" | sed -n 's/^\.It .*/&/p' | grep -oE 'Fl -[a-z-]+' | sed 's/^Fl -//'); do
		{ options "$m" && printf '%s\n' "$modes"; } | grep -qxF -e "$o" || extra="$extra --$m:--$o"
	done
done
is "nettune(8) has no option besides" "$extra" ""

for m in $modes; do
	"$NETTUNE" "--$m" --help >"$TMP/help"
	check "the help of --$m fits a screen" test "$(wc -l <"$TMP/help")" -le 24 -a "$(wc -L <"$TMP/help")" -le 80
done
is "the synopsis has every mode" "$(awk '/^\.Sh / { on = $2 == "SYNOPSIS" } on' "$man" |
	sed -n 's/^\.Fl -\([a-z-]*\).*/\1/p' | grep -xF "$modes" | sort)" "$(sort <<<"$modes")"

# shellcheck source=contrib/completions/nettune.bash
. "$SRCDIR/contrib/completions/nettune.bash"
complete_words() { # complete_words WORD...: what is offered for the last one
	COMP_WORDS=("$@") COMP_CWORD=$(($# - 1)) COMPREPLY=()
	_nettune
	printf '%s\n' "${COMPREPLY[@]}" | sort
}
is "completion offers every mode" "$(complete_words nettune -- | grep -vxE -e '--(help|version|color|goal)')" \
	"$(printf -- '--%s\n' $modes | sort)"
for m in $modes; do
	value=()
	"$NETTUNE" --help | grep -q "nettune --$m [A-Z]" && value=(x)
	is "completion offers the options of --$m" "$(complete_words nettune "--$m" "${value[@]}" --)" \
		"$({ options "$m"; echo help; } | sed 's/^/--/' | sort)"
done
like "completion offers links" "$(complete_words nettune --report '')" '^lo$'
for o in goal ethtool; do
	want=$("$NETTUNE" --report --$o nonsense 2>&1 | sed 's/.*none of: //; s/, /\n/g' | sort)
	is "completion offers the values of --$o" "$(complete_words nettune --report --$o '')" "$want"
	is "after an equals sign, too" "$(complete_words nettune --report --$o = "${want:0:1}")" \
		"$(grep "^${want:0:1}" <<<"$want")"
done
is "completion offers the formats" "$(complete_words nettune --report =)" \
	"$("$NETTUNE" --report=nonsense 2>&1 | sed 's/.*none of: //; s/, /\n/g' | sort)"
is "completion offers the risks" "$(complete_words nettune --apply --risk '')" \
	"$("$NETTUNE" --apply --risk nonsense 2>&1 | sed 's/.*none of: //; s/, /\n/g' | sort)"
is "completion offers the tests" "$(complete_words nettune --probe h --test '')" \
	"$("$NETTUNE" --probe h --test nonsense 2>&1 | sed 's/.*none of: //; s/, /\n/g' | sort)"
is "completion offers the goals of the screens" "$(complete_words nettune --goal l)" latency
is "completion offers rules, the last of a list" "$(complete_words nettune --apply --only gso-off,tso6-of)" gso-off,tso6-off
is "completion offers tests, the last of a list" "$(complete_words nettune --probe h --test rr,cr)" rr,crr
is "completion offers patches" "$(complete_words nettune --patch tsq)" tsq-floor
is "completion offers the lab's scenarios" "$(complete_words nettune --lab off)" offloads-off
touch "$TMP/a file"
is "completion offers files to check" "$(complete_words nettune --check-rules "$TMP/a")" "$TMP/a file"
is "completion offers files for an option" "$(complete_words nettune --report --output "$TMP/a")" "$TMP/a file"
is "an odd word before the last one is no pattern" "$(complete_words nettune '[' '' 2>&1 | grep grep)" ""
# others choose links' names: they are offered as they are, never expanded
ls() { printf '%s\n' 'x$(touch hit)' 'x*' 'two words'; }
is "completion quotes the names of links" "$(cd "$TMP" && complete_words nettune --report x)" \
	"$(printf '%q\n' 'x$(touch hit)' 'x*')"
check "and runs none of them" test ! -e "$TMP/hit"
unset -f ls

for page in "$SRCDIR"/man/*.[1-8] "$BUILDDIR"/man/*.[1-8]; do
	[ -e "$page" ] || continue
	check "$(basename "$page") is clean" mandoc -T lint -W warning "$page"
	is "$(basename "$page") closes each quote before the next" \
		"$(mandoc -T utf8 "$page" | sed 's,.\x08,,g' | grep -nE '“[^”]*“|””')" ""
done

done_testing
