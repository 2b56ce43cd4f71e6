# SPDX-License-Identifier: GPL-2.0-or-later
# Not part of "make check": needs root, qemu and minutes. ./runtests runs it.
EXTRA_DIST += tests/vm/lab.sh tests/vm/vm.sh tests/vm/guest-facts.sh
EXTRA_DIST += tests/vm/sys.sh tests/vm/guest-sys.sh
EXTRA_DIST += tests/vm/probe.sh tests/vm/guest-probe.sh

check-vm: all tests/lib/sysdump
	$(AM_TESTS_ENVIRONMENT) bash $(srcdir)/tests/vm/vm.sh
.PHONY: check-vm
EXTRA_DIST += tests/vm/apply.sh tests/vm/guest-apply.sh tests/vm/guest-systemd.sh
