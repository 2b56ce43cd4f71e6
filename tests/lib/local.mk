# SPDX-License-Identifier: GPL-2.0-or-later
EXTRA_DIST += tests/lib/compare_device.py tests/lib/compare_ethtool.py tests/lib/old_kernel.py \
	tests/lib/compare_facts.py tests/lib/compare_socks.py tests/lib/compare_sys.py \
	tests/lib/delay.py tests/lib/house.py tests/lib/probe.sh \
	tests/lib/probe_crr_flood.py tests/lib/probe_greedy.py tests/lib/probe_junk.py \
	tests/lib/tap.sh tests/lib/tcp_path.py

check_PROGRAMS += tests/lib/sysdump
tests_lib_sysdump_SOURCES = tests/lib/sysdump.c
tests_lib_sysdump_LDADD = libnettune.a $(NL_LIBS) $(MNL_LIBS)
EXTRA_DIST += tests/lib/rule_base.py tests/lib/rules_live.py tests/lib/rules_live.json \
	tests/lib/hosts tests/lib/hosts.py

check_PROGRAMS += tests/lib/judge
tests_lib_judge_SOURCES = tests/lib/judge.c
tests_lib_judge_LDADD = libnettune.a $(INIPARSER_LIBS) -lm
