# SPDX-License-Identifier: GPL-2.0-or-later
# One program a source file, named after it: src/base/unit.c -> tests/unit/test_base_unit.c
# A program needs three lines here: its name, its sources, its flags.
EXTRA_DIST += tests/unit/need-cmocka.sh

UNIT_TESTS += tests/unit/test_base
tests_unit_test_base_SOURCES = tests/unit/test_base.c
tests_unit_test_base_CPPFLAGS = $(UNIT_CPPFLAGS)
tests_unit_test_base_LDADD = $(UNIT_LDADD)

UNIT_TESTS += tests/unit/test_fact_snapshot
tests_unit_test_fact_snapshot_SOURCES = tests/unit/test_fact_snapshot.c
tests_unit_test_fact_snapshot_CPPFLAGS = $(UNIT_CPPFLAGS)
tests_unit_test_fact_snapshot_LDADD = $(UNIT_LDADD)

UNIT_TESTS += tests/unit/test_fact_tunable
tests_unit_test_fact_tunable_SOURCES = tests/unit/test_fact_tunable.c
tests_unit_test_fact_tunable_CPPFLAGS = $(UNIT_CPPFLAGS)
tests_unit_test_fact_tunable_LDADD = $(UNIT_LDADD)

UNIT_TESTS += tests/unit/test_fact_text
tests_unit_test_fact_text_SOURCES = tests/unit/test_fact_text.c
tests_unit_test_fact_text_CPPFLAGS = $(UNIT_CPPFLAGS)
tests_unit_test_fact_text_LDADD = $(UNIT_LDADD)

UNIT_TESTS += tests/unit/test_report
tests_unit_test_report_SOURCES = tests/unit/test_report.c
tests_unit_test_report_CPPFLAGS = $(UNIT_CPPFLAGS)
tests_unit_test_report_LDADD = $(UNIT_LDADD)

UNIT_TESTS += tests/unit/test_rule_expr
tests_unit_test_rule_expr_SOURCES = tests/unit/test_rule_expr.c tests/unit/rule_fixture.c \
	tests/unit/rule_fixture.h
tests_unit_test_rule_expr_CPPFLAGS = $(UNIT_CPPFLAGS)
tests_unit_test_rule_expr_LDADD = $(UNIT_LDADD)

UNIT_TESTS += tests/unit/test_rule_load
tests_unit_test_rule_load_SOURCES = tests/unit/test_rule_load.c
tests_unit_test_rule_load_CPPFLAGS = $(UNIT_CPPFLAGS)
tests_unit_test_rule_load_LDADD = $(UNIT_LDADD)

UNIT_TESTS += tests/unit/test_rule_judge
tests_unit_test_rule_judge_SOURCES = tests/unit/test_rule_judge.c \
	tests/unit/rule_fixture.c tests/unit/rule_fixture.h
tests_unit_test_rule_judge_CPPFLAGS = $(UNIT_CPPFLAGS)
tests_unit_test_rule_judge_LDADD = $(UNIT_LDADD)
UNIT_TESTS += tests/unit/test_sys_ethnl
tests_unit_test_sys_ethnl_SOURCES = tests/unit/test_sys_ethnl.c
tests_unit_test_sys_ethnl_CPPFLAGS = $(UNIT_CPPFLAGS)
tests_unit_test_sys_ethnl_LDADD = $(UNIT_LDADD)

UNIT_TESTS += tests/unit/test_sys_fault
tests_unit_test_sys_fault_SOURCES = tests/unit/test_sys_fault.c
tests_unit_test_sys_fault_CPPFLAGS = $(UNIT_CPPFLAGS)
tests_unit_test_sys_fault_LDADD = $(UNIT_LDADD)

UNIT_TESTS += tests/unit/test_sys_rtnl
tests_unit_test_sys_rtnl_SOURCES = tests/unit/test_sys_rtnl.c
tests_unit_test_sys_rtnl_CPPFLAGS = $(UNIT_CPPFLAGS)
tests_unit_test_sys_rtnl_LDADD = $(UNIT_LDADD)

UNIT_TESTS += tests/unit/test_sys_phy
tests_unit_test_sys_phy_SOURCES = tests/unit/test_sys_phy.c
tests_unit_test_sys_phy_CPPFLAGS = $(UNIT_CPPFLAGS)
tests_unit_test_sys_phy_LDADD = $(UNIT_LDADD)

UNIT_TESTS += tests/unit/test_sys_parse
tests_unit_test_sys_parse_SOURCES = tests/unit/test_sys_parse.c
tests_unit_test_sys_parse_CPPFLAGS = $(UNIT_CPPFLAGS)
tests_unit_test_sys_parse_LDADD = $(UNIT_LDADD)
UNIT_TESTS += tests/unit/test_fact_collect
tests_unit_test_fact_collect_SOURCES = tests/unit/test_fact_collect.c \
	tests/unit/fact_fixture.c tests/unit/fact_fixture.h
tests_unit_test_fact_collect_CPPFLAGS = $(UNIT_CPPFLAGS)
tests_unit_test_fact_collect_LDADD = $(UNIT_LDADD)

UNIT_TESTS += tests/unit/test_tui_model
tests_unit_test_tui_model_SOURCES = tests/unit/test_tui_model.c src/tui/model.c src/tui/model.h
tests_unit_test_tui_model_CPPFLAGS = $(UNIT_CPPFLAGS)
tests_unit_test_tui_model_LDADD = $(UNIT_LDADD)
UNIT_TESTS += tests/unit/test_tui_workers
tests_unit_test_tui_workers_SOURCES = tests/unit/test_tui_workers.c src/tui/workers.c src/tui/workers.h \
	tests/lib/fake_sys.c tests/lib/fake_sys.h
tests_unit_test_tui_workers_CPPFLAGS = $(UNIT_CPPFLAGS)
tests_unit_test_tui_workers_LDADD = $(UNIT_LDADD)
UNIT_TESTS += tests/unit/test_tui_compare
tests_unit_test_tui_compare_SOURCES = tests/unit/test_tui_compare.c src/tui/compare.c src/tui/compare.h
tests_unit_test_tui_compare_CPPFLAGS = $(UNIT_CPPFLAGS)
tests_unit_test_tui_compare_LDADD = $(UNIT_LDADD)
UNIT_TESTS += tests/unit/test_patch
tests_unit_test_patch_SOURCES = tests/unit/test_patch.c
tests_unit_test_patch_CPPFLAGS = $(UNIT_CPPFLAGS)
tests_unit_test_patch_LDADD = $(UNIT_LDADD)
FAKE_PLAN = tests/lib/fake_plan.c tests/lib/fake_plan.h tests/lib/fake_sys.c tests/lib/fake_sys.h
UNIT_TESTS += tests/unit/test_plan_make
tests_unit_test_plan_make_SOURCES = tests/unit/test_plan_make.c
tests_unit_test_plan_make_CPPFLAGS = $(UNIT_CPPFLAGS)
tests_unit_test_plan_make_LDADD = $(UNIT_LDADD)

UNIT_TESTS += tests/unit/test_plan_apply
tests_unit_test_plan_apply_SOURCES = tests/unit/test_plan_apply.c $(FAKE_PLAN)
tests_unit_test_plan_apply_CPPFLAGS = $(UNIT_CPPFLAGS)
tests_unit_test_plan_apply_LDADD = $(UNIT_LDADD)

UNIT_TESTS += tests/unit/test_plan_near
tests_unit_test_plan_near_SOURCES = tests/unit/test_plan_near.c $(FAKE_PLAN)
tests_unit_test_plan_near_CPPFLAGS = $(UNIT_CPPFLAGS)
tests_unit_test_plan_near_LDADD = $(UNIT_LDADD)

UNIT_TESTS += tests/unit/test_plan_torture
tests_unit_test_plan_torture_SOURCES = tests/unit/test_plan_torture.c $(FAKE_PLAN)
tests_unit_test_plan_torture_CPPFLAGS = $(UNIT_CPPFLAGS)
tests_unit_test_plan_torture_LDADD = $(UNIT_LDADD)

UNIT_TESTS += tests/unit/test_fact_log
tests_unit_test_fact_log_SOURCES = tests/unit/test_fact_log.c
tests_unit_test_fact_log_CPPFLAGS = $(UNIT_CPPFLAGS)
tests_unit_test_fact_log_LDADD = $(UNIT_LDADD)
UNIT_TESTS += tests/unit/test_probe_measure
tests_unit_test_probe_measure_SOURCES = tests/unit/test_probe_measure.c
tests_unit_test_probe_measure_CPPFLAGS = $(UNIT_CPPFLAGS)
tests_unit_test_probe_measure_LDADD = $(UNIT_LDADD)

UNIT_TESTS += tests/unit/test_probe_verdict
tests_unit_test_probe_verdict_SOURCES = tests/unit/test_probe_verdict.c
tests_unit_test_probe_verdict_CPPFLAGS = $(UNIT_CPPFLAGS)
tests_unit_test_probe_verdict_LDADD = $(UNIT_LDADD)

UNIT_TESTS += tests/unit/test_probe_wire
tests_unit_test_probe_wire_SOURCES = tests/unit/test_probe_wire.c
tests_unit_test_probe_wire_CPPFLAGS = $(UNIT_CPPFLAGS)
tests_unit_test_probe_wire_LDADD = $(UNIT_LDADD)
UNIT_TESTS += tests/unit/test_sys_sockdiag
tests_unit_test_sys_sockdiag_SOURCES = tests/unit/test_sys_sockdiag.c
tests_unit_test_sys_sockdiag_CPPFLAGS = $(UNIT_CPPFLAGS)
tests_unit_test_sys_sockdiag_LDADD = $(UNIT_LDADD)
UNIT_TESTS += tests/unit/test_fact_socks
tests_unit_test_fact_socks_SOURCES = tests/unit/test_fact_socks.c
tests_unit_test_fact_socks_CPPFLAGS = $(UNIT_CPPFLAGS)
tests_unit_test_fact_socks_LDADD = $(UNIT_LDADD)
