# SPDX-License-Identifier: GPL-2.0-or-later
# Sourced by tests of --patch: trees made of the imitations in tests/patch.

export GIT_CONFIG_NOSYSTEM=1 HOME=$TMP TMPDIR=$TMP/scratch
export GIT_AUTHOR_NAME=t GIT_AUTHOR_EMAIL=t@t GIT_COMMITTER_NAME=t GIT_COMMITTER_EMAIL=t@t
mkdir "$TMPDIR"
CASES=$SRCDIR/tests/patch

need_tools() {
	local tool
	for tool in spatch git patch; do
		command -v $tool >/dev/null || skip_all "$tool is not installed"
	done
}

# make_tree DIR VERSION: a kernel tree as far as its Makefile tells
make_tree() {
	local v
	IFS=. read -ra v <<<"$2"
	rm -rf "$1"
	mkdir -p "$1"
	printf 'VERSION = %s\nPATCHLEVEL = %s\nSUBLEVEL = %s\nEXTRAVERSION =%s\n' "${v[@]:0:3}" "${3:-}" \
		>"$1/Makefile"
}

# fill DIR ID VERSION KIND: the files of a case
fill() {
	local id version path name
	make_tree "$1" "$3"
	while read -r id version path name; do
		[ "$id" = "$2" ] && [ "$version" = "$3" ] || continue
		mkdir -p "$1/$(dirname "$path")"
		cp "$CASES/$id/$name.$4.c" "$1/$path"
		chmod u+w "$1/$path" # the sources may be read-only
	done < <(grep -v '^#' "$CASES/cases")
}

commit_all() { (cd "$1" && git init -q . && git add -A && git commit -qm base); }
