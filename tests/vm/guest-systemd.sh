# SPDX-License-Identifier: GPL-2.0-or-later
# Runs in the guest: systemd as process 1 of a process namespace, with as many units as it
# takes. A service applies with --confirm and is stopped; its guardian, a service of its
# own, restores. Writes "TEXT|GOT|WANT" lines to /lab/results.
if [ "${1:-}" != inside ]; then
	mkdir -p /etc/systemd/system /var/lib /sys/fs/cgroup
	mount -t cgroup2 cgroup2 /sys/fs/cgroup
	for t in sysinit basic shutdown multi-user; do
		printf '[Unit]\nDefaultDependencies=no\n' >/etc/systemd/system/$t.target
	done
	printf '[Unit]\nDefaultDependencies=no\nWants=lab.service\n' >/etc/systemd/system/default.target
	cat >/etc/systemd/system/lab.service <<-EOF
		[Service]
		Environment=PATH=/bin NETTUNE_STATE_DIR=/var/lib/nettune
		ExecStart=/bin/bash $0 inside
	EOF
	: >/etc/machine-id
	container=lab unshare --fork --pid --mount --mount-proc systemd --system --log-target=console \
		>/lab/systemd.log 2>&1 &
	n=0
	until [ -e /lab/done ] || [ $n -ge 150 ]; do n=$((n + 1)); sleep 1; done
	[ -e /lab/done ] || { tail -50 /lab/systemd.log; exit 1; }
	exit 0
fi

is() { echo "$1|$2|$3" >>/lab/results; }
wait_for() { # wait_for COMMAND: up to 30 s
	local n=0
	until eval "$1" || [ $n -ge 300 ]; do n=$((n + 1)); usleep 100000; done
}
service() { # service NAME COMMAND: started, and its nettune is done
	cat >/run/systemd/system/$1.service <<-EOF
		[Service]
		Environment=PATH=/bin NETTUNE_STATE_DIR=/var/lib/nettune
		ExecStart=/bin/bash -c '$2 >/lab/$1.out 2>&1; echo finished >>/lab/$1.out; sleep 1000'
	EOF
	systemctl daemon-reload
	systemctl start --no-block $1.service
	wait_for "grep -q finished /lab/$1.out"
}
guardians() { systemctl list-units --no-legend --plain 'nettune-guardian-*' | grep -c running; }
plan() {
	cat <<-EOF
		{ "schema": "nettune-plan/1", "steps": [
		{ "tunable": "link.txqueuelen", "link": "$1", "to": 500, "rule": "vm" },
		{ "tunable": "rps.rx-0", "link": "$1", "to": "2", "rule": "vm" },
		{ "tunable": "sysctl.net.ipv4.tcp_notsent_lowat", "to": 131072, "rule": "vm" } ] }
	EOF
}
now() { # now [ip netns exec NS]
	"$@" sh -c 'cat /sys/class/net/v*/tx_queue_len /sys/class/net/v*/queues/rx-0/rps_cpus
		cat /proc/sys/net/ipv4/tcp_notsent_lowat' | xargs
}

is "systemd is process 1" "$(cat /proc/1/comm)" systemd
ip netns add far
ip link add v0 type veth peer name v1 netns far
ip link set v0 up
ip -n far link set v1 up
plan v0 >/tmp/here.json
plan v1 >/tmp/far.json
before=$(now)
far_before=$(now ip netns exec far)

service one "nettune --apply --plan /tmp/here.json --confirm 15"
is "a service applies" "$(now | cut -d" " -f1)" 500
is "the guardian is a service of its own" "$(guardians)" 1
systemctl stop one.service
is "its service is stopped: still applied" "$(now | cut -d" " -f1)" 500
is "nothing is left of it" "$(systemctl is-active one.service)" inactive
wait_for '[ "$(now)" = "$before" ]'
is "the guardian restores" "$(now)" "$before"
wait_for '[ "$(guardians)" = 0 ]'
is "and is gone" "$(guardians)" 0

service two "ip netns exec far nettune --apply --plan /tmp/far.json --confirm 15"
is "in another network namespace" "$(now ip netns exec far | cut -d" " -f1)" 500
is "with a guardian, too" "$(guardians)" 1
systemctl stop two.service
wait_for '[ "$(now ip netns exec far)" = "$far_before" ]'
is "which restores there, /sys included" "$(now ip netns exec far)" "$far_before"
is "and not here" "$(now)" "$before"

service three "nettune --apply --plan /tmp/here.json --confirm 300"
is "applied with a long time" "$(guardians)" 1
nettune --keep >/lab/keep.out 2>&1
is "kept" "$?" 0
wait_for '[ "$(guardians)" = 0 ]'
is "the guardian goes" "$(guardians)" 0
systemctl stop three.service
is "what was kept stays" "$(now | cut -d" " -f1)" 500
nettune --history >/lab/history.out
touch /lab/done
sleep 1000
