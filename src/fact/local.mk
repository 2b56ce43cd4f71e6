# SPDX-License-Identifier: GPL-2.0-or-later
libnettune_a_SOURCES += src/fact/catalogue.c src/fact/snapshot.c src/fact/tunable.c \
	src/fact/tunable_command.c
