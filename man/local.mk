# SPDX-License-Identifier: GPL-2.0-or-later
dist_man_MANS += man/nettune.8 man/nettune-rules.5

# nettune-facts(7) is made from the fact catalogue that the library holds
noinst_PROGRAMS += man/facts
man_facts_SOURCES = man/facts.c
man_facts_LDADD = libnettune.a $(NL_LIBS) $(MNL_LIBS) $(INIPARSER_LIBS) $(JANSSON_LIBS) \
	$(SODIUM_LIBS) -lm
nodist_man_MANS += man/nettune-facts.7
EXTRA_DIST += man/nettune-facts.7.in
CLEANFILES += man/nettune-facts.7 man/facts.list

man/nettune-facts.7: man/nettune-facts.7.in man/facts$(EXEEXT)
	$(AM_V_GEN)man/facts$(EXEEXT) >man/facts.list && \
	$(SED) -e '/^@FACTS@$$/r man/facts.list' -e '/^@FACTS@$$/d' \
		$(srcdir)/man/nettune-facts.7.in >$@.tmp && mv $@.tmp $@
