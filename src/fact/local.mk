# SPDX-License-Identifier: GPL-2.0-or-later
libnettune_a_SOURCES += src/fact/absent.c src/fact/catalogue.c src/fact/catalogue_made.c \
	src/fact/catalogue_exact.inc src/fact/catalogue_exact_s.inc \
	src/fact/catalogue_families.inc src/fact/sysctl_known.inc src/fact/collect.c \
	src/fact/collect.h src/fact/collect_absent.c src/fact/collect_counters.c \
	src/fact/collect_device.c src/fact/collect_eth.c src/fact/collect_host.c \
	src/fact/collect_irq.c src/fact/collect_link.c src/fact/collect_socks.c \
	src/fact/collect_sysctl.c src/fact/cpu_use.c src/fact/derive.c src/fact/derive.h \
	src/fact/derive_driver.c src/fact/derive_kernel.c src/fact/derive_link.c \
	src/fact/fact_sample.c src/fact/fact_text.c src/fact/rates.c \
	src/fact/snapshot.c src/fact/snapshot.h src/fact/text_log.c src/fact/text_sysctl.c src/fact/vector.h \
	src/fact/tunable.c src/fact/tunable_command.c
