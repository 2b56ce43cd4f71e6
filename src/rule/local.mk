# SPDX-License-Identifier: GPL-2.0-or-later
libnettune_a_SOURCES += src/rule/change.c src/rule/check.c src/rule/code.h src/rule/command.c \
	src/rule/conflict.c src/rule/eval.c src/rule/eval.h src/rule/example.c \
	src/rule/expr.h src/rule/func.c src/rule/judge.c src/rule/lex.c src/rule/load.c \
	src/rule/parse.c src/rule/refs.c src/rule/rulebase.c src/rule/run.c src/rule/seen.c src/rule/set.c \
	src/rule/suggest.c src/rule/template.c
