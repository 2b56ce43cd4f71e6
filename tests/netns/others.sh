#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Who else writes what is to be changed, and whose ssh session runs over it, is said before.
. "${SRCDIR:?}/tests/lib/tap.sh"
in_netns "$@"

export NETTUNE_STATE_DIR=$TMP/state
ip link set lo up
ip link add v0 type veth peer name v1
ip addr add 10.9.0.1/24 dev v0
ip link set v0 up
plan() { # plan TUNABLE LINK TO
	local link=null
	[ -z "$2" ] || link="\"$2\""
	printf '{"schema":"nettune-plan/1","steps":[{"tunable":"%s","link":%s,"to":%s,"rule":"t"}]}' "$1" "$link" "$3" >"$TMP/plan"
}
dry() { run "$NETTUNE" --apply --dry-run --plan "$TMP/plan" --risk link; }

# a process is known by its name alone
daemon() {
	cp "$(command -v sleep)" "$TMP/$1"
	"$TMP/$1" 300 &
	pids+=($!)
}
pids=()
trap 'kill "${pids[@]}" 2>/dev/null; rm -rf "$TMP"' EXIT

plan sysctl.net.ipv4.tcp_notsent_lowat '' 131072
dry
unlike "nobody else is at work" "$err" 'bpftune'
daemon bpftune
daemon NetworkManager
dry
like "bpftune is named for a sysctl" "$err" 'bpftune \(process [0-9]+\) is running'
unlike "NetworkManager is not" "$err" NetworkManager
plan link.mtu v0 1400
dry
like "NetworkManager is named for an MTU" "$err" 'NetworkManager \(process [0-9]+\) is running'
unlike "bpftune is not" "$err" bpftune

# the values of files: where these folders can be covered by our own
if mkdir -p /etc/sysctl.d 2>/dev/null && mount -t tmpfs tmpfs /etc/sysctl.d; then
	cat >/etc/sysctl.d/90-a.conf <<-'EOF'
		# net.ipv4.tcp_notsent_lowat = 1
		net/ipv4/tcp_notsent_lowat= 65536
		net.ipv4.tcp_notsent_lowat_not = 3
	EOF
	plan sysctl.net.ipv4.tcp_notsent_lowat '' 131072
	dry
	like "a later sysctl.d file is named with its value" "$err" \
		"/etc/sysctl.d/90-a.conf sets net.ipv4.tcp_notsent_lowat to '65536' at the next boot"
	echo 'net.ipv4.tcp_notsent_lowat = 7' >/etc/sysctl.d/10-z.conf
	dry
	like "of several files the last by name" "$err" "90-a.conf sets net.ipv4.tcp_notsent_lowat to '65536'"
	echo 'net.ipv4.tcp_notsent_* = 9' >/etc/sysctl.d/95-glob.conf
	dry
	like "a pattern gives way to a name" "$err" "90-a.conf sets net.ipv4.tcp_notsent_lowat to '65536'"
	echo '-net.ipv4.tcp_notsent_lowat=131072' >/etc/sysctl.d/99.conf
	dry
	unlike "one that wants the same is no other" "$err" 'sysctl.d'
	rm /etc/sysctl.d/*
	echo 'net.ipv4.tcp_notsent_* = 9' >/etc/sysctl.d/95-glob.conf
	dry
	like "alone it counts" "$err" "95-glob.conf sets net.ipv4.tcp_notsent_lowat to '9'"
	mkdir -p /run/sysctl.d
	echo 'net.ipv4.tcp_notsent_lowat = 8' >/run/sysctl.d/95-glob.conf
	ln -sf /dev/null /etc/sysctl.d/95-glob.conf
	dry
	unlike "a file of /etc hides its like, an empty one too" "$err" 'sysctl.d'
	rm /run/sysctl.d/95-glob.conf
	plan sysctl.net.core.somaxconn '' 5000
	dry
	unlike "not for another sysctl" "$err" 'sysctl.d'
fi
if mkdir -p /etc/systemd/network 2>/dev/null && mount -t tmpfs tmpfs /etc/systemd/network; then
	printf '[Match]\nOriginalName=v0\n[Link]\nMTUBytes=1500\n' >/etc/systemd/network/10-v0.link
	plan link.mtu v0 1400
	dry
	like "a .link file is named" "$err" '/etc/systemd/network/10-v0.link has MTUBytes=1500'
fi

export SSH_CONNECTION="10.9.0.2 50000 10.9.0.1 22"
plan link.mtu v0 1400
dry
like "the link of the ssh session: --confirm is advised" "$err" 'your ssh session runs over v0: with --confirm 60'
run "$NETTUNE" --apply --plan "$TMP/plan" --risk link --confirm 30
unlike "not when it is there" "$err" 'ssh session'
"$NETTUNE" --rollback >/dev/null
plan link.gro_flush_timeout v0 1000
dry
unlike "not for a change without risk" "$err" 'ssh session'

# what changes behind nettune's back is told with a suspect
plan sysctl.net.core.somaxconn '' 5000
sed -i 's/"to"/"from":17,"to"/' "$TMP/plan"
run "$NETTUNE" --apply --plan "$TMP/plan"
like "a value that is not as planned: who may have done it" "$err" \
	"net.core.somaxconn is '[0-9]*', the plan says '17' \(bpftune, process [0-9]+, may have done it\)"
done_testing
