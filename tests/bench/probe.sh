#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# The probe beside iperf3, nuttcp, qperf, sockperf, and ab with nginx, in one run: medians of
# RUNS (5) interleaved runs of SECONDS_EACH (2), between two namespaces over veth and over one
# namespace's loopback. Writes of 128 KiB everywhere, congestion control pinned by route, CPU
# of the whole host read from /proc/stat by this script, the same way for all.
#   NETTUNE=./nettune SRCDIR=. tests/bench/probe.sh [veth] [lo]
set -u
: "${NETTUNE:?}" "${SRCDIR:?}"
RUNS=${RUNS:-5} SECONDS_EACH=${SECONDS_EACH:-2} CC=${CC_ALGO:-cubic}

if [ "${NT_BENCH_NS:-}" != 1 ]; then
	flags=-mn
	[ "$(id -u)" = 0 ] || flags=-Urmn
	NT_BENCH_NS=1 exec unshare $flags bash "$0" "$@"
fi
mount --make-rprivate / && mount -t sysfs sysfs /sys && mount -t tmpfs tmpfs /run || exit 1
mkdir -p /run/netns
W=$(mktemp -d)
pids=()
stop_all() {
	for p in "${pids[@]}"; do kill "$p" 2>/dev/null; done
	rm -rf "$W"
}
trap stop_all EXIT

ip netns add a
ip netns add b
ip link add v0 netns a type veth peer name v1 netns b
ip -n a addr add 10.9.0.1/24 dev v0
ip -n b addr add 10.9.0.2/24 dev v1
for x in "a v0" "b v1" "a lo" "b lo"; do
	ip -n "${x% *}" link set "${x#* }" up
done
ip -n a route change 10.9.0.0/24 dev v0 src 10.9.0.1 congctl lock "$CC"
ip -n b route change 10.9.0.0/24 dev v1 src 10.9.0.2 congctl lock "$CC"
for n in a b; do
	ip -n $n route change local 127.0.0.1 dev lo table local congctl lock "$CC"
	ip -n $n route change local 127.0.0.0/8 dev lo table local congctl lock "$CC"
done

serve() { # serve NETNS COMMAND...
	local ns=$1
	shift
	ip netns exec "$ns" "$@" >/dev/null 2>&1 &
	pids+=($!)
}
have() { command -v "$1" >/dev/null; }

# One web server for the connection rate, answering 250 bytes.
nginx_conf() { # nginx_conf ADDR
	mkdir -p "$W/www" "$W/tmp"
	head -c 250 /dev/zero | tr '\0' x >"$W/www/o"
	cat >"$W/nginx.conf" <<CONF
daemon off; worker_processes 1; pid $W/nginx.pid; error_log /dev/null;
events { worker_connections 512; }
http { access_log off; root $W/www; keepalive_timeout 0; client_body_temp_path $W/tmp;
 proxy_temp_path $W/tmp; fastcgi_temp_path $W/tmp; uwsgi_temp_path $W/tmp; scgi_temp_path $W/tmp;
 server { listen $1:8080; } }
CONF
}

busy() { # seconds of CPU the whole host has used, in ticks
	awk '/^cpu / { print $2 + $3 + $4 + $7 + $8; exit }' /proc/stat
}

# add NAME VALUE
add() { echo "$2" >>"$W/$1"; }

# timed NAME COMMAND...: output to $W/out, CPU seconds of the host to $cpu
timed() {
	local from
	from=$(busy)
	ip netns exec a "$@" >"$W/out" 2>"$W/err" || { echo "failed: $*"; head -3 "$W/err"; }
	cpu=$(awk -v a="$from" -v b="$(busy)" -v hz="$(getconf CLK_TCK)" 'BEGIN { print (b - a) / hz }')
}

field() { python3 -c "import json,sys; d=json.load(open('$W/out')); print($1)"; }
# rate and CPU of a bulk run: bulk NAME BITS_PER_SECOND SECONDS
bulk() {
	add "$1.gbit" "$(awk -v r="$2" 'BEGIN { print r / 1e9 }')"
	add "$1.cpugb" "$(awk -v r="$2" -v t="$3" -v c="$cpu" 'BEGIN { print c / (r * t / 8e9) }')"
}

part="d['tests'][0]['parts'][0]"
one_round() { # one_round ADDR TAG: every program once, one after the other
	local to=$1 t=$2 s=$SECONDS_EACH
	timed "$NETTUNE" --probe "$to" --test stream --time "$s" --warmup 0 --write-size 128KiB --json
	bulk "$t.stream.nettune" "$(field "$part['up_bps']")" "$s"
	timed iperf3 -c "$to" -t "$s" -l 128K -J
	bulk "$t.stream.iperf3" "$(field "d['end']['sum_received']['bits_per_second']")" "$s"
	timed nuttcp -T "$s" -l128k "$to"
	bulk "$t.stream.nuttcp" "$(awk '{ for (i = 1; i < NF; i++) if ($(i + 1) == "Mbps") print $i * 1e6 }' "$W/out")" "$s"
	timed "$NETTUNE" --probe "$to" --test stream --time "$s" --warmup 0 --write-size 128KiB --streams 16 --json
	bulk "$t.stream16.nettune" "$(field "$part['up_bps']")" "$s"
	timed iperf3 -c "$to" -t "$s" -l 128K -P 16 -J
	bulk "$t.stream16.iperf3" "$(field "d['end']['sum_received']['bits_per_second']")" "$s"

	timed "$NETTUNE" --probe "$to" --test rr --time "$s" --request 14 --response 14 --json
	add "$t.rtt.nettune" "$(field "$part['here']['latency']['p50_us']")"
	timed sockperf ping-pong --tcp -i "$to" -p 11111 -t "$s" -m 14 --full-rtt
	add "$t.rtt.sockperf" "$(awk '/percentile 50.000/ { print $NF }' "$W/out")"
	timed qperf -t "$s" -m 14 -uu "$to" tcp_lat
	add "$t.rtt.2xqperf" "$(awk '/latency/ { print 2 * $3 * ($4 == "us" ? 1 : $4 == "ms" ? 1000 : .001) }' "$W/out")"

	timed "$NETTUNE" --probe "$to" --test crr --time "$s" --request 96 --response 250 --json
	add "$t.crr.nettune" "$(field "$part['rate']")"
	timed ab -q -t "$s" -n 1000000 -c 1 "http://$to:8080/o"
	add "$t.crr.ab+nginx" "$(awk '/^Requests per second/ { print $4 }' "$W/out")"
}

median() { sort -g "$1" | awk '{ v[NR] = $1 } END { print NR % 2 ? v[(NR + 1) / 2] : (v[NR / 2] + v[NR / 2 + 1]) / 2 }'; }

row() { # row TAG TEST UNIT WHAT PEERS...
	local tag=$1 test=$2 unit=$3 what=$4 mine peer v
	shift 4
	mine=$(median "$W/$tag.$test.nettune$what")
	printf '%-5s %-9s nettune %8.4g %-7s' "$tag" "$test" "$mine" "$unit"
	for peer; do
		v=$(median "$W/$tag.$test.$peer$what")
		printf ' | %s %.4g, ratio %.2f' "$peer" "$v" "$(awk -v a="$mine" -v b="$v" 'BEGIN { print a / b }')"
	done
	echo
}

one_place() { # one_place TAG ADDR SERVER_NETNS
	serve "$3" "$NETTUNE" --serve --bind "$2"
	serve "$3" iperf3 -s -B "$2"
	serve "$3" nuttcp -S --nofork
	serve "$3" sockperf server --tcp -i "$2" -p 11111
	serve "$3" qperf
	nginx_conf "$2"
	serve "$3" nginx -c "$W/nginx.conf"
	sleep 1.5
	for i in $(seq "$RUNS"); do one_round "$2" "$1"; done
	row "$1" stream Gbit/s .gbit iperf3 nuttcp
	row "$1" stream s/GB .cpugb iperf3 nuttcp
	row "$1" stream16 Gbit/s .gbit iperf3
	row "$1" stream16 s/GB .cpugb iperf3
	row "$1" rtt us "" sockperf 2xqperf
	row "$1" crr /s "" ab+nginx
	for p in "${pids[@]}"; do kill "$p" 2>/dev/null; done
	wait 2>/dev/null
	pids=()
}

for tool in iperf3 nuttcp qperf sockperf ab nginx python3; do
	have $tool || {
		echo "left out: needs $tool (iperf3 nuttcp qperf sockperf apache2-utils nginx-light)"
		exit 0
	}
done
echo "medians of $RUNS runs of $SECONDS_EACH s, $CC, writes of 128 KiB, Linux $(uname -r), $(nproc) CPUs"
[ $# -gt 0 ] || set -- veth lo
for place; do
	case $place in
	veth) one_place veth 10.9.0.2 b ;;
	lo) one_place lo 127.0.0.1 a ;;
	esac
done
