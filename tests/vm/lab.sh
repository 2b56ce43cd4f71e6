#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# lab.sh - boot Debian's own kernel in QEMU with a chosen NIC pair, run a script in the guest,
# stream its console, and exit with the script's status.
#
#   lab.sh build                          fetch kernel, build the base initramfs (cached)
#   lab.sh run [options] SCRIPT [ARG...]  boot once and run SCRIPT (sh) in the guest
#     -n MODEL[,PROPS]  NIC model, both ends (default e1000e): see qemu-system-x86_64 -device help
#     -w WIRE           tap (default: taps + bridge in a private netns;
#                       virtio, vmxnet3, e1000e get vnet_hdr offloads), hub (one qemu hub), none
#                       (virtio-net-pci,mq=on,vectors=10 gives CPUS queue pairs on tap)
#     -s DIR            host folder shared read-write as /lab in the guest (9p)
#     -p PROGRAM        program put into the guest's /bin with its libraries (may be repeated)
#     -m MODULES        extra modules to load, comma-separated
#     -t SECONDS        hard timeout (default 120)     -c CPUS (default 2)     -a ACCEL (default: tcg)
#     -k APPEND         extra kernel command-line
#     -q                drop kernel messages and the guest's banner from the output
#   In the guest: namespaces "a" (10.9.0.1) and "b" (10.9.0.2), device eth0 in each; A and B are
#   shell shorthands ("A ethtool -k eth0"). Exit status: the script's, 124 timeout, 125 no status seen.
set -euo pipefail

LAB=${LAB:-$(cd "$(dirname "$0")" && pwd)}
CACHE=${LAB_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/nettune-lab}
TOOLS=${LAB_TOOLS:-"/bin/bash /usr/bin/timeout /usr/bin/env /usr/sbin/ip /usr/sbin/tc /usr/bin/ss /usr/sbin/ethtool /usr/sbin/sysctl /usr/bin/iperf3 /usr/bin/setsid"}
MODULES="e1000 e1000e igb 8139cp 8139too vmxnet3 pcnet32 ne2k-pci tulip e100 virtio_net virtio_pci
  9p 9pnet_virtio veth ifb dummy macvlan bonding pktgen sch_netem sch_fq sch_cake sch_tbf sch_htb sch_mqprio
  sch_ingress sch_fq_pie cls_u32 cls_matchall act_mirred tcp_bbr tcp_htcp tcp_dctcp tcp_vegas tcp_westwood"

die() { echo "lab: $*" >&2; exit 125; }

# what the cached base was made by: a changed script or tool list makes it anew
stamp() { { cat "$0"; echo "$TOOLS"; } | cksum; }

add_program() { # PROGRAM ROOT
  local lib
  mkdir -p "$2/bin"
  cp -L "$1" "$2/bin/"
  for lib in $( (ldd "$1" 2>/dev/null || true) | grep -o '/[^ )]*'); do
    [ -e "$2$lib" ] || { mkdir -p "$2${lib%/*}"; cp -L "$lib" "$2$lib"; }
  done
}

build() (
  mkdir -p "$CACHE"
  local pkg root ver off
  pkg=$(apt-cache depends linux-image-amd64 | sed -n 's/.*Depends: \(linux-image-[0-9].*\)/\1/p' | head -1)
  [ -n "$pkg" ] || die "linux-image-amd64 unknown to apt"
  ver=${pkg#linux-image-}
  if [ ! -e "$CACHE/kern/boot/vmlinuz-$ver" ]; then
    (cd "$CACHE" && rm -rf kern ./*.deb && apt-get -q download "$pkg" >&2 && dpkg -x "$pkg"_*.deb kern && rm -f "$pkg"_*.deb)
  fi
  depmod -b "$CACHE/kern" "$ver"
  root=$(mktemp -d); trap 'rm -rf "$root"' EXIT
  mkdir -p "$root"/{bin,proc,sys,dev,tmp,run/netns,etc,lab,usr,lib/modules/"$ver"}
  ln -s bin "$root/sbin"; ln -s ../bin "$root/usr/bin"; ln -s ../bin "$root/usr/sbin"
  local t lib m
  for t in $TOOLS; do
    [ -x "$t" ] || { echo "lab: $t not installed, left out" >&2; continue; }
    add_program "$t" "$root"
  done
  # bash as sh: Debian's busybox ash would run its own applets ("ip", "tc") before the real tools
  cp /bin/busybox "$root/bin/"; ln -s bash "$root/bin/sh"
  for t in $(busybox --list); do [ -e "$root/bin/$t" ] || ln -s busybox "$root/bin/$t"; done
  for m in $MODULES; do
    modprobe -d "$CACHE/kern" -S "$ver" --show-depends "$m" | sed -n 's/^insmod \([^ ]*\).*/\1/p'
  done | sort -u | while read -r m; do
    lib=${m#"$CACHE"/kern/}; mkdir -p "$root/${lib%/*}"; cp "$m" "$root/$lib"
  done
  cp "$CACHE/kern/lib/modules/$ver"/modules.{builtin,builtin.modinfo,order} "$root/lib/modules/$ver/"
  depmod -b "$root" "$ver" 2>/dev/null
  cat > "$root/init" <<'INIT'
#!/bin/sh
export PATH=/bin
mount -t proc proc /proc; mount -t sysfs sys /sys; mount -t devtmpfs dev /dev; mount -t tmpfs run /run
mkdir -p /run/netns; ulimit -c 0
ip link set lo up
for m in $(cat /modlist 2>/dev/null); do modprobe "$m" || echo "lab: no module $m"; done
grep -q lab9p /proc/cmdline && modprobe 9pnet_virtio && mount -t 9p -o trans=virtio,msize=262144 lab /lab
# place the two NICs (by PCI order) in two namespaces
set -- $(ls -d /sys/bus/pci/devices/*/net/* /sys/bus/pci/devices/*/virtio*/net/* 2>/dev/null | sort | sed 's,.*/,,')
i=0
for ns in a b; do
  i=$((i+1)); dev=$(eval echo "\${$i:-}"); [ -n "$dev" ] || continue
  ip netns add $ns; ip link set "$dev" netns $ns
  ip -n $ns link set lo up; [ "$dev" = eth0 ] || ip -n $ns link set "$dev" name eth0
  ip -n $ns addr add 10.9.0.$i/24 dev eth0; ip -n $ns link set eth0 up
done
cat > /bin/A <<'X'
#!/bin/sh
exec ip netns exec a "$@"
X
sed 's/exec a /exec b /' /bin/A > /bin/B; chmod +x /bin/A /bin/B
echo "LAB-READY $(cut -d' ' -f1 /proc/uptime)"
cd /tmp; sh /script $(cat /args 2>/dev/null) </dev/null; rc=$?
echo "LAB-STATUS $rc"
sync; poweroff -f
INIT
  chmod +x "$root/init"
  (cd "$root" && find . | cpio -o -H newc -R 0:0 --quiet | gzip -1) > "$CACHE/base.cpio.gz.tmp"
  mv "$CACHE/base.cpio.gz.tmp" "$CACHE/base.cpio.gz"
  # the bare ELF boots through PVH and saves the (emulated) decompression, 2.6 of 5.7 s
  off=$(LC_ALL=C grep -aboP '\xfd7zXZ\x00' "$CACHE/kern/boot/vmlinuz-$ver" | head -1 | cut -d: -f1)
  tail -c +$((off + 1)) "$CACHE/kern/boot/vmlinuz-$ver" | xz -dc --single-stream > "$CACHE/vmlinux" 2>/dev/null || true
  [ "$(head -c 4 "$CACHE/vmlinux" | tail -c 3)" = ELF ] || cp "$CACHE/kern/boot/vmlinuz-$ver" "$CACHE/vmlinux"
  stamp > "$CACHE/stamp"
)

run() {
  local nic=e1000e wire=tap share='' mods='' limit=120 cpus=2 accel=tcg append='' quiet=0 o drv i args line pid rc=125 q=0 pre=() mq='' mqt='' progs=() p
  while getopts n:w:s:p:m:t:c:a:k:q o; do
    case $o in
      n) nic=$OPTARG;; w) wire=$OPTARG;; s) share=$OPTARG;; m) mods=$OPTARG;; t) limit=$OPTARG;;
      c) cpus=$OPTARG;; a) accel=$OPTARG;; k) append=$OPTARG;; q) quiet=1;; p) progs+=("$OPTARG");; *) die "see the top of $0";;
    esac
  done
  shift $((OPTIND - 1)); [ $# -ge 1 ] && [ -r "$1" ] || die "no script given"
  [ -e "$CACHE/base.cpio.gz" ] && [ "$(cat "$CACHE/stamp" 2>/dev/null)" = "$(stamp)" ] || build >&2
  tmp=$(mktemp -d); trap 'rm -rf "$tmp"' EXIT
  mkdir "$tmp/x"; cp "$1" "$tmp/x/script"; shift; echo "$*" > "$tmp/x/args"
  for p in "${progs[@]}"; do add_program "$p" "$tmp/x"; done
  drv=${nic%%,*}
  case $drv in
    rtl8139) drv=8139cp;; virtio-net*) drv="virtio_pci virtio_net";; pcnet) drv=pcnet32;; ne2k_pci) drv=ne2k-pci;;
    i825*) drv=e100;; e1000-*) drv=e1000;;
  esac
  [ "$wire" = none ] && drv=
  echo "$drv ${mods//,/ } virtio_pci" > "$tmp/x/modlist"
  (cd "$tmp/x" && find . | cpio -o -H newc -R 0:0 --quiet | gzip -1) > "$tmp/x.cpio"
  cat "$CACHE/base.cpio.gz" "$tmp/x.cpio" > "$tmp/initrd"
  args=(-nodefaults -no-user-config -no-reboot -display none -serial stdio -M q35 -m 768 -smp "$cpus"
    -kernel "$CACHE/vmlinux" -initrd "$tmp/initrd"
    -append "console=ttyS0 quiet panic=-1 mitigations=off tsc=reliable net.ifnames=0 ${share:+lab9p} $append")
  case $accel in tcg) args+=(-accel tcg,thread=multi -cpu max);; kvm) args+=(-accel kvm -cpu host,-arch-capabilities);; *) args+=(-accel "$accel");; esac
  [ -z "$share" ] || args+=(-virtfs "local,path=$share,mount_tag=lab,security_model=none,multidevs=remap")
  case $wire in
    none) ;;
    hub) for i in 0 1; do args+=(-netdev "hubport,id=n$i,hubid=0" -device "$nic,netdev=n$i,addr=$((4 + 4 * i)),mac=52:54:00:00:00:0$i"); done;;
    tap) case $nic in *mq=on*) mq=,queues=$cpus mqt=multi_queue;; esac
      for i in 0 1; do args+=(-netdev "tap,id=n$i,ifname=t$i,script=no,downscript=no$mq" -device "$nic,netdev=n$i,addr=$((4 + 4 * i)),mac=52:54:00:00:00:0$i"); done
      pre=(unshare -n sh -c 'ip link add name br0 type bridge && ip link set br0 up &&
        for i in 0 1; do ip tuntap add t$i mode tap vnet_hdr '$mqt' && ip link set t$i master br0 up; done; exec "$@"' sh);;
    *) die "unknown wire $wire";;
  esac
  mkfifo "$tmp/con"
  timeout -k 5 "$limit" "${pre[@]}" ${LAB_QEMU:-qemu-system-x86_64} "${args[@]}" </dev/null > "$tmp/con" 2>&1 &
  pid=$!
  while IFS= read -r line; do
    line=${line%$'\r'}
    case $line in
      LAB-STATUS\ *) rc=${line#LAB-STATUS };;
      LAB-READY*|\[\ *[0-9].[0-9]*\]\ *) [ $quiet = 1 ] || printf '%s\n' "$line";;
      *) printf '%s\n' "$line";;
    esac
  done < "$tmp/con"
  wait $pid || q=$?
  [ $q != 124 ] && [ $q != 137 ] || rc=124
  return "$rc"
}

case ${1:-} in
  build) build;;
  run) shift; run "$@";;
  *) sed -n '3,21s/^# \{0,1\}//p' "$0"; exit 2;;
esac
