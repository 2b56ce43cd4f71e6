# SPDX-License-Identifier: GPL-2.0-or-later
# A target fuzz_X reads tests/fuzz/corpus-X. As an ordinary test it replays that; with
# ./configure --enable-fuzzers CC=clang it is a libFuzzer program.
EXTRA_DIST += tests/fuzz/capture_netlink.py tests/fuzz/corpus-netlink
if LIBFUZZER
FUZZ_MAIN =
FUZZ_LINK = $(AM_LDFLAGS) -fsanitize=fuzzer
else
FUZZ_MAIN = tests/fuzz/replay.c
FUZZ_LINK = $(AM_LDFLAGS)
endif
FUZZ_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)/src
FUZZ_LDADD = libnettune.a $(NL_LIBS) $(MNL_LIBS) $(INIPARSER_LIBS) $(JANSSON_LIBS) \
	$(SODIUM_LIBS) -lm
FUZZ_TARGETS =

FUZZ_TARGETS += tests/fuzz/fuzz_netlink
tests_fuzz_fuzz_netlink_SOURCES = tests/fuzz/fuzz_netlink.c $(FUZZ_MAIN)
tests_fuzz_fuzz_netlink_CPPFLAGS = $(FUZZ_CPPFLAGS)
tests_fuzz_fuzz_netlink_LDFLAGS = $(FUZZ_LINK)
tests_fuzz_fuzz_netlink_LDADD = $(FUZZ_LDADD)

FUZZ_TARGETS += tests/fuzz/fuzz_rules
tests_fuzz_fuzz_rules_SOURCES = tests/fuzz/fuzz_rules.c $(FUZZ_MAIN)
tests_fuzz_fuzz_rules_CPPFLAGS = $(FUZZ_CPPFLAGS)
tests_fuzz_fuzz_rules_LDFLAGS = $(FUZZ_LINK)
tests_fuzz_fuzz_rules_LDADD = $(FUZZ_LDADD)
EXTRA_DIST += tests/fuzz/corpus-rules

FUZZ_TARGETS += tests/fuzz/fuzz_expr
tests_fuzz_fuzz_expr_SOURCES = tests/fuzz/fuzz_expr.c $(FUZZ_MAIN)
tests_fuzz_fuzz_expr_CPPFLAGS = $(FUZZ_CPPFLAGS)
tests_fuzz_fuzz_expr_LDFLAGS = $(FUZZ_LINK)
tests_fuzz_fuzz_expr_LDADD = $(FUZZ_LDADD)
EXTRA_DIST += tests/fuzz/corpus-expr
EXTRA_DIST += tests/fuzz/corpus-catalogue
FUZZ_TARGETS += tests/fuzz/fuzz_catalogue
tests_fuzz_fuzz_catalogue_SOURCES = tests/fuzz/fuzz_catalogue.c $(FUZZ_MAIN)
tests_fuzz_fuzz_catalogue_CPPFLAGS = $(FUZZ_CPPFLAGS)
tests_fuzz_fuzz_catalogue_LDFLAGS = $(FUZZ_LINK)
tests_fuzz_fuzz_catalogue_LDADD = $(FUZZ_LDADD)

FUZZ_TARGETS += tests/fuzz/fuzz_plan
tests_fuzz_fuzz_plan_SOURCES = tests/fuzz/fuzz_plan.c $(FUZZ_MAIN)
tests_fuzz_fuzz_plan_CPPFLAGS = $(FUZZ_CPPFLAGS)
tests_fuzz_fuzz_plan_LDFLAGS = $(FUZZ_LINK)
tests_fuzz_fuzz_plan_LDADD = $(FUZZ_LDADD)
EXTRA_DIST += tests/fuzz/corpus-plan

FUZZ_TARGETS += tests/fuzz/fuzz_journal
tests_fuzz_fuzz_journal_SOURCES = tests/fuzz/fuzz_journal.c tests/lib/fake_sys.c \
	tests/lib/fake_sys.h $(FUZZ_MAIN)
tests_fuzz_fuzz_journal_CPPFLAGS = $(FUZZ_CPPFLAGS) -I$(top_srcdir)/tests
tests_fuzz_fuzz_journal_LDFLAGS = $(FUZZ_LINK)
tests_fuzz_fuzz_journal_LDADD = $(FUZZ_LDADD)
EXTRA_DIST += tests/fuzz/corpus-journal
FUZZ_TARGETS += tests/fuzz/fuzz_text
tests_fuzz_fuzz_text_SOURCES = tests/fuzz/fuzz_text.c $(FUZZ_MAIN)
tests_fuzz_fuzz_text_CPPFLAGS = $(FUZZ_CPPFLAGS)
tests_fuzz_fuzz_text_LDFLAGS = $(FUZZ_LINK)
tests_fuzz_fuzz_text_LDADD = $(FUZZ_LDADD)
EXTRA_DIST += tests/fuzz/corpus-text

FUZZ_TARGETS += tests/fuzz/fuzz_probe_server
tests_fuzz_fuzz_probe_server_SOURCES = tests/fuzz/fuzz_probe_server.c $(FUZZ_MAIN)
tests_fuzz_fuzz_probe_server_CPPFLAGS = $(FUZZ_CPPFLAGS)
tests_fuzz_fuzz_probe_server_LDFLAGS = $(FUZZ_LINK)
tests_fuzz_fuzz_probe_server_LDADD = $(FUZZ_LDADD)
EXTRA_DIST += tests/fuzz/corpus-probe_server

FUZZ_TARGETS += tests/fuzz/fuzz_probe_client
tests_fuzz_fuzz_probe_client_SOURCES = tests/fuzz/fuzz_probe_client.c $(FUZZ_MAIN)
tests_fuzz_fuzz_probe_client_CPPFLAGS = $(FUZZ_CPPFLAGS)
tests_fuzz_fuzz_probe_client_LDFLAGS = $(FUZZ_LINK)
tests_fuzz_fuzz_probe_client_LDADD = $(FUZZ_LDADD)
EXTRA_DIST += tests/fuzz/corpus-probe_client
EXTRA_DIST += tests/fuzz/probe_corpus.py

check_PROGRAMS += $(FUZZ_TARGETS)
if !LIBFUZZER
TESTS += $(FUZZ_TARGETS)
endif
