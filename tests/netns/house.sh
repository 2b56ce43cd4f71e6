#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# The house rules of CONTRIBUTING.md, read off the sources. Needs $CC for the headers.
. "${SRCDIR:?}/tests/lib/tap.sh"

house=$SRCDIR/tests/lib/house.py
check "includes point one way" python3 "$house" direction "$SRCDIR"
check "includes come in order, headers are guarded" python3 "$house" order "$SRCDIR"
check "no banned calls; nothing below cmd and tui speaks or exits" python3 "$house" banned "$SRCDIR"
check "functions and files can be read in one sitting" python3 "$house" size "$SRCDIR"
check "lines are not too wide, no blanks at their ends" python3 "$house" columns "$SRCDIR"

# the rules are really held: a tree that breaks each of them
bad=$TMP/bad
mkdir -p "$bad/src/fact" "$bad/src/rule" "$bad/src/cmd" "$bad/include/nettune" "$bad/tests"
printf '%s\n' '/* SPDX-License-Identifier: x */' '#ifndef A' '#define A' '#include <linux/ethtool.h>' \
	'#endif' >"$bad/include/nettune/rule.h"
{
	printf '%s\n' '/* SPDX-License-Identifier: x */' '#include "nettune/rule.h"' '#include "config.h"' \
		'static void f(char *a)' '{' 'strcpy(a, "strcat("); /* strtok( */' 'printf("x");'
	yes '' | head -100
	printf '%s\n' '}' "$(printf '%111s' x)"
} >"$bad/src/fact/bad.c"
faults() { python3 "$house" "$1" "$bad" | sed 's/^[^ ]* //'; }
like "a rule header in fact is refused" "$(faults direction)" "^fact may not include 'nettune/rule.h'"
like "a kernel header in a public header is refused" "$(faults direction)" '<linux/ethtool.h> does not belong'
like "config.h must come first" "$(faults order)" 'config.h is not the first'
is "banned calls are found, comments and strings are not calls" "$(faults banned)" \
	$'strcpy is banned\nprintf below cmd and tui'
like "a long function is found" "$(faults size)" 'a function of 104 lines'
like "a wide line is found" "$(faults columns)" '111 columns'

# each header compiles alone
alone() {
	local h bad=0
	for h in "$SRCDIR"/include/nettune/*.h "$SRCDIR"/src/*/*.h; do
		# shellcheck disable=SC2086
		${CC:-cc} -std=gnu11 -fsyntax-only -Wall -Wno-unused-function -Werror -I"$SRCDIR/include" -I"$BUILDDIR" \
			-I"$SRCDIR/src" ${NT_CFLAGS:-} -include config.h -x c "$h" || bad=1
	done
	return $bad
}
check "each header compiles alone" alone

# no data that changes outside main and the screens; constants with addresses in them
# (.data.rel.ro) do not change.
variables() {
	objdump -t "$BUILDDIR/libnettune.a" | awk '
		/\.o:/ { file = $1 }
		NF > 4 && $3 == "O" && $(NF - 2) ~ /^\.(data|bss|tbss|tdata)(\.|$)/ &&
			$(NF - 2) !~ /^\.data\.rel\.ro/ && $NF !~ /asan|ubsan|^\.L/ { print file, $NF }'
}
is "no variable data in the library but nt_die()'s hook" "$(variables)" "mem.o: die_hook"

done_testing
