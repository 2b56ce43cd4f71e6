# SPDX-License-Identifier: GPL-2.0-or-later
# What tests/unit/test_report must produce. Read the diff after "make regen-golden".
EXTRA_DIST += tests/golden/healthy.txt tests/golden/many.txt tests/golden/many-verbose.txt \
	tests/golden/peer.json tests/golden/sick.json tests/golden/sick.txt \
	tests/golden/sick-ascii-48.txt tests/golden/sick-verbose.txt

.PHONY: regen-golden
regen-golden: tests/unit/test_report
	SRCDIR='$(abs_top_srcdir)' NT_REGEN_GOLDEN=1 tests/unit/test_report
