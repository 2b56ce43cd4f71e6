# SPDX-License-Identifier: GPL-2.0-or-later
TEST_EXTENSIONS = .sh
TAP_DRIVER = env AM_TAP_AWK='$(AWK)' $(SHELL) $(top_srcdir)/build-aux/tap-driver.sh
LOG_DRIVER = $(TAP_DRIVER)
SH_LOG_DRIVER = $(TAP_DRIVER)
SH_LOG_COMPILER = bash

# What every test sees: the program, the sources, the C locale, no state of this host.
AM_TESTS_ENVIRONMENT = \
	export NETTUNE='$(abs_top_builddir)/nettune'; \
	export SRCDIR='$(abs_top_srcdir)' BUILDDIR='$(abs_top_builddir)'; \
	export NETTUNE_STATE_DIR=/nonexistent/nettune-state; \
	export NETTUNE_CONF_DIR=/nonexistent/nettune-conf; \
	export CC='$(CC)' NT_CFLAGS='$(NL_CFLAGS) $(MNL_CFLAGS) $(JANSSON_CFLAGS) $(SODIUM_CFLAGS)'; \
	export CMOCKA_MESSAGE_OUTPUT=TAP LC_ALL=C.UTF-8 NO_COLOR=1 PYTHONDONTWRITEBYTECODE=1; \
	export ASAN_OPTIONS=detect_leaks=1:abort_on_error=1 UBSAN_OPTIONS=print_stacktrace=1; \
	unset COLUMNS NETTUNE_RULES_DIR NETTUNE_PATCHES_DIR;

UNIT_LDADD = libnettune.a $(NL_LIBS) $(MNL_LIBS) $(INIPARSER_LIBS) $(JANSSON_LIBS) \
	$(SODIUM_LIBS) $(CMOCKA_LIBS) -lm
UNIT_CPPFLAGS = $(AM_CPPFLAGS) $(CMOCKA_CFLAGS) -I$(top_srcdir)/src -I$(top_srcdir)/tests

dist_check_SCRIPTS = $(SHELL_TESTS)
SHELL_TESTS =
UNIT_TESTS =

include tests/unit/local.mk
include tests/netns/local.mk
include tests/fuzz/local.mk
include tests/vm/local.mk
include tests/term/local.mk
include tests/bench/local.mk
include tests/golden/local.mk
include tests/lib/local.mk

if HAVE_CMOCKA
check_PROGRAMS += $(UNIT_TESTS)
TESTS += $(UNIT_TESTS)
else
TESTS += tests/unit/need-cmocka.sh
endif
TESTS += $(SHELL_TESTS)

check-programs: $(check_PROGRAMS) $(check_DATA)
.PHONY: check-programs
