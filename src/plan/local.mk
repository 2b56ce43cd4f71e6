# SPDX-License-Identifier: GPL-2.0-or-later
libnettune_a_SOURCES += src/plan/plan.c
