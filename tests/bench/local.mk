# SPDX-License-Identifier: GPL-2.0-or-later
EXTRA_DIST += tests/bench/report.py tests/bench/tui.py $(BENCHES)
BENCHES = tests/bench/report.sh tests/bench/tui.sh tests/bench/probe.sh

.PHONY: bench
bench: all
	@for b in $(BENCHES); do echo "== $$b"; NETTUNE='$(abs_top_builddir)/nettune' \
		SRCDIR='$(abs_top_srcdir)' bash $(srcdir)/$$b || exit 1; done
