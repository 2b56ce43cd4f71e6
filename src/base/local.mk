# SPDX-License-Identifier: GPL-2.0-or-later
libnettune_a_SOURCES += src/base/buf.c src/base/cells.c src/base/clock.c src/base/err.c src/base/ini.c \
	src/base/jsonw.c src/base/mem.c src/base/names.c src/base/output.c src/base/places.c src/base/unit.c \
	src/base/version.c
