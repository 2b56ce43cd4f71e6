# SPDX-License-Identifier: GPL-2.0-or-later
SHELL_TESTS += tests/netns/cmdline.sh tests/netns/house.sh
SHELL_TESTS += tests/netns/docs_agree.sh tests/netns/report.sh
SHELL_TESTS += tests/netns/sys.sh
SHELL_TESTS += tests/netns/facts.sh
SHELL_TESTS += tests/netns/rules.sh
SHELL_TESTS += tests/netns/patch.sh tests/netns/patch_refuse.sh
EXTRA_DIST += tests/lib/kernel_tree.sh tests/patch
SHELL_TESTS += tests/netns/rules_base.sh tests/netns/rules_hosts.sh tests/netns/rules_live.sh
SHELL_TESTS += tests/netns/apply.sh tests/netns/guardian.sh
SHELL_TESTS += tests/netns/sockets.sh
SHELL_TESTS += tests/netns/probe.sh tests/netns/probe_report.sh tests/netns/probe_server.sh
SHELL_TESTS += tests/netns/lab.sh
SHELL_TESTS += tests/netns/apply_torture.sh tests/netns/apply_trust.sh
SHELL_TESTS += tests/netns/others.sh
