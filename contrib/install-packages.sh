# SPDX-License-Identifier: GPL-2.0-or-later
# Sourced by quickstart and runtests: install_packages CLASS... installs what is missing of
# contrib/debian-packages. Without root it says what is missing and fails.
install_packages() {
	local class missing=() p log
	for class in "$@"; do
		while read -r p; do
			dpkg-query -W -f '${db:Status-Status}\n' "$p" 2>/dev/null | grep -qx installed ||
				missing+=("$p")
		done < <(awk -v c="$class" '$1 == c { print $2 }' contrib/debian-packages)
	done
	[ "${#missing[@]}" -eq 0 ] && return 0
	if [ "$(id -u)" -ne 0 ]; then
		echo "missing packages: run as root: apt-get install ${missing[*]}" >&2
		return 1
	fi
	echo "installing ${#missing[@]} Debian packages" >&2
	log=$(mktemp)
	{ apt-get -qq update && DEBIAN_FRONTEND=noninteractive \
		apt-get -qq -y --no-install-recommends install "${missing[@]}"; } \
		>"$log" 2>&1 </dev/null ||
		{ tail -20 "$log" >&2; return 1; }
	rm -f "$log"
}
