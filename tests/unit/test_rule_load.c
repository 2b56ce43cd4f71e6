/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "nettune/buf.h"
#include "nettune/rule.h"

/* A whole rule but for title, which each case gives. */
#define REST                                                                             \
	"scope = host\nwhen = cpu.count > 1\nseverity = advice\ncure = none\nwhy = w\n"   \
	"source = S1\nexample.yes = cpu.count=2\nexample.no = cpu.count=1\n"
#define GOOD(name) "[" name "]\ntitle = t\n" REST

static void collect(void *arg, const char *file, int line, const char *reason)
{
	nt_buf_addf(arg, "%s:%d: %s\n", file, line, reason);
}

/* Load text; the faults told, in lines (caller frees). */
static char *faults_of(const char *text, size_t *ret_rules)
{
	struct nt_rulebase *rb = nt_rulebase_new();
	struct nt_buf b = { 0 };
	struct nt_err err;
	int rc = nt_rulebase_load_text(rb, "f", text, strlen(text), false, collect, &b, &err);
	int lines = 0;
	size_t i;

	for (i = 0; i < b.len; i++)
		lines += b.s[i] == '\n';
	assert_int_equal(rc, lines);
	if (ret_rules)
		*ret_rules = rb->n;
	nt_rulebase_free(rb);
	return nt_buf_detach(&b);
}

static const struct {
	const char *text;
	size_t rules; /* that load all the same */
	const char *faults;
} refusals[] = {
	/* what iniparser would silently lose */
	{ "[a]\ntitle = x; y\n" REST GOOD("b"), 1,
		"f:2: [a] ';' in the value of 'title' would cut it short\n" },
	{ "[a]\ntitle = x#y\n" REST GOOD("b"), 1,
		"f:2: [a] '#' in the value of 'title' would cut it short (in a name or pattern "
		"write '?')\n" },
	{ "[a]\ntitle = \"x\" y\n" REST GOOD("b"), 1,
		"f:2: [a] the value of 'title' may not begin with a quote\n" },
	{ "[a]\ntitle = 'x'\n" REST GOOD("b"), 1,
		"f:2: [a] the value of 'title' may not begin with a quote\n" },
	{ "[a]\ntitle = x\ntitle = y\n" REST GOOD("b"), 1,
		"f:3: [a] 'title' again; the first is on line 2\n" },
	{ GOOD("a") GOOD("b") GOOD("a"), 2, "f:21: [a] again; the first is on line 1\n" },
	{ GOOD("a") "; a comment that ends in \\\n" GOOD("b"), 1,
		"f:11: [a] a comment that ends in '\\' hides the next line\n" },
	{ "[A]\ntitle = x\n" REST GOOD("b"), 1,
		"f:1: a section is '[name]' alone on its line, of a-z, 0-9 and '-'\n" },
	{ "[a b]\ntitle = x\n" REST GOOD("b"), 1,
		"f:1: a section is '[name]' alone on its line, of a-z, 0-9 and '-'\n" },
	{ "[a] ; comment\ntitle = x\n" REST GOOD("b"), 1,
		"f:1: a section is '[name]' alone on its line, of a-z, 0-9 and '-'\n" },
	{ "[]\n" GOOD("b"), 1,
		"f:1: a section is '[name]' alone on its line, of a-z, 0-9 and '-'\n" },
	{ "title = x\n" GOOD("b"), 1, "f:1: a key before the first [section]\n" },
	{ "title = x\n" REST GOOD("b"), 1, "f:1: a key before the first [section]\n" },
	{ "[a]\nTitle = x\n" REST GOOD("b"), 1, "f:2: [a] no key 'Title'\n" },
	{ "[a]\ntitle = x\nwhenn = y\n" REST GOOD("b"), 1, "f:3: [a] no key 'whenn'\n" },
	{ "[a]\ntitle = x\ntitle.2 = y\n" REST GOOD("b"), 1, "f:3: [a] no key 'title.2'\n" },
	{ "[a]\ntitle = x\nset.1 = y\n" REST GOOD("b"), 1, "f:3: [a] no key 'set.1'\n" },
	{ "[a]\ntitle =\n" REST GOOD("b"), 1, "f:2: [a] 'title' has no value\n" },
	{ "[a]\ntitle\n" REST GOOD("b"), 1,
		"f:2: [a] neither 'key = value' nor '[section]'\n" },
	{ "[a]\ntitle = x\ty\x01z\n" REST GOOD("b"), 1,
		"f:2: [a] control byte or invalid UTF-8 (0x01)\n" },
	{ "[a]\ntitle = x\xffy\n" REST GOOD("b"), 1,
		"f:2: [a] control byte or invalid UTF-8 (0xff)\n" },
	{ GOOD("a") "[b]\xc4\ntitle = x\n" REST, 1,
		"f:11: control byte or invalid UTF-8 (0xc4)\n"
		"f:11: a section is '[name]' alone on its line, of a-z, 0-9 and '-'\n" },
	{ "[a]\ntitle = t\n" REST "example.no.2 = cpu.count=, kernel.version=3\n", 0,
		"f:11: [a] example.no.2: 'cpu.count' has no value\n" },
	{ GOOD("a") "goal = cpu \\\n", 0, "f:11: [a] the file ends in a wrapped line\n" },
	{ GOOD("b") "[a]\n" REST "title = x \\", 1, "f:20: [a] the file ends in a wrapped line\n" },
	/* what a rule must have */
	{ "[a]\n" REST GOOD("b"), 1, "f:1: [a] 'title' is missing\n" },
	{ "[a]\n" GOOD("b"), 1,
		"f:1: [a] 'title' is missing\n" },
	{ "[a]\ntitle = t\nscope = lnk\nwhen = x\nseverity = advice\ncure = none\nwhy = w\n"
	  "source = s\nexample.yes = cpu.count=2\nexample.no = cpu.count=1\n", 0,
		"f:3: [a] scope: 'lnk' is none of host, link, path\n" },
	/* all that is wrong is told, at the wrapped line it stands on */
	{ "[a]\ntitle = {cpu.cout}\nscope = host\nwhen = cpu.count > 1 and \\\n"
	  "   cpu.count > 1MB\nseverity = bad\ncure = worse\nwhy = {\nsource = s\ngoal = fun\n"
	  "confidence = measured\nset = ring.rxx := 3\nset.2 = sysctl.net.ipv4.tcp_sack = 1\n"
	  "set.3 = sysctl.net.ipv4.tcp_sack := 10ms\nset.4 = cpu.count := 3\n"
	  "example.yes = cpu.count=2 x\nexample.no = cpu.count\n", 0,
		"f:6: [a] severity: 'bad' is none of good, advice, warning, problem\n"
		"f:7: [a] cure: 'worse' is none of setting, application, kernel, link, peer, "
		"platform, none\n"
		"f:11: [a] confidence: 'measured' is none of known, derived\n"
		"f:10: [a] goal: no goal 'fun'\n"
		"f:5: [a] when: compares a plain number with a size\n"
		"f:12: [a] set: no fact 'ring.rxx': 'ring.rx'?\n"
		"f:13: [a] set.2: TUNABLE := EXPRESSION expected\n"
		"f:14: [a] set.3: 'sysctl.net.ipv4.tcp_sack' wants a plain number\n"
		"f:15: [a] set.4: 'cpu.count' cannot be set\n"
		"f:16: [a] example.yes: '2 x' is no value of 'cpu.count'\n"
		"f:17: [a] example.no: NAME=VALUE expected\n"
		"f:2: [a] title: no fact 'cpu.cout': 'cpu.count'?\n"
		"f:8: [a] why: a '{' without its partner\n" },
	{ "[a]\ntitle = t\nscope = host\nwhen = cpu.count\nseverity = good\ncure = none\n"
	  "why = w\nsource = s\nexample.yes = cpu.count=2\nexample.no = cpu.count=1\n", 0,
		"f:4: [a] when: the condition is neither true nor false\n" },
	{ "[a]\ntitle = t\nscope = host\nwhen = cpu.count > 1\nseverity = good\ncure = none\n"
	  "why = w\nsource = s\nexample.yes = cpu.count=2\nexample.no = cpu.count=1\n"
	  "set = sysctl.net.ipv4.tcp_sack := 1\n", 0,
		"f:5: [a] severity: a rule of severity good changes nothing\n" },
	{ "[a]\ntitle = t\n" REST "set = link.driver := x\n", 0,
		"f:11: [a] set: 'link.driver' is a fact of a link; a rule of scope host cannot see "
		"it\n" },
};

static void each_refusal(void **state)
{
	size_t i, rules;
	int wrong = 0;
	char *got;

	(void)state;
	for (i = 0; i < NT_ARRAY_SIZE(refusals); i++) {
		got = faults_of(refusals[i].text, &rules);
		if (strcmp(got, refusals[i].faults) != 0 || rules != refusals[i].rules) {
			print_error("case %zu: %zu rules\n%snot %zu rules\n%s", i, rules, got,
				refusals[i].rules, refusals[i].faults);
			wrong++;
		}
		free(got);
	}
	assert_int_equal(wrong, 0);
}

static void a_value_may_have_1000_bytes(void **state)
{
	struct nt_buf b = { 0 };
	char *got, word[1002];
	size_t rules;
	int len;

	(void)state;
	for (len = 1000; len <= 1001; len++) {
		memset(word, 'x', len);
		word[len] = '\0';
		nt_buf_cut(&b, 0);
		nt_buf_addf(&b, "[a]\ntitle = %.500s\\\n%s\n" REST, word, word + 500);
		got = faults_of(nt_buf_str(&b), &rules);
		assert_int_equal(rules, len == 1000);
		assert_string_equal(got, len == 1000 ? "" :
			"f:2: [a] the value of 'title' is over 1000 bytes\n");
		free(got);
	}
	nt_buf_cut(&b, 0);
	nt_buf_addf(&b, "[a]\ntitle = %s\n" REST ";", word);
	for (len = 0; len < 1100; len++)
		nt_buf_addc(&b, 'c');
	nt_buf_adds(&b, "\n" GOOD("b"));
	got = faults_of(nt_buf_str(&b), &rules);
	assert_string_equal(got, "f:2: [a] the value of 'title' is over 1000 bytes\n"
		"f:11: [a] over 1000 bytes in one line or its wrapped lines\n");
	assert_int_equal(rules, 1);
	free(got);
	nt_buf_free(&b);
}

static void all_of_a_rule_is_kept(void **state)
{
	static const char text[] =
		"\xef\xbb\xbf; a comment with ; and #\n"
		"\r\n"
		"[late-2]\n"
		"title\t=  Two \\\n"
		"   words = so\n"
		"scope = link\r\n"
		"when = link.speed < 1Gbit and \\\n"
		"\tlink.driver = igb\n"
		"severity = warning\ncure = link\n"
		"goal = latency, cpu\n"
		"improves = latency,cpu\n"
		"patch = p-1 p-2\n"
		"source = M5, M11  N3\n"
		"why = {link} runs at {link.speed}, drops {stat.in   put}.\n"
		"confidence = known\n"
		"example.yes = link.speed=100Mbit, link.driver=igb\n"
		"example.yes.2 = link.speed=10, link.driver=\"igb\"\n"
		"example.no = link.speed=1000, link.driver=igb\n"
		"example.no.2 = link.speed=10, link.driver=\"\"\n";
	struct nt_rulebase *rb = nt_rulebase_new();
	const struct nt_rule *r;
	struct nt_buf b = { 0 };
	struct nt_err err;

	(void)state;
	assert_int_equal(nt_rulebase_load_text(rb, "f", text, strlen(text), true, collect, &b,
				 &err), 0);
	r = nt_rulebase_find(rb, "late-2");
	assert_non_null(r);
	assert_null(nt_rulebase_find(rb, "late"));
	assert_string_equal(r->title, "Two words = so");
	assert_string_equal(r->when, "link.speed < 1Gbit and link.driver = igb");
	assert_string_equal(r->why, "{link} runs at {link.speed}, drops {stat.in put}.");
	assert_string_equal(r->source, "M5 M11 N3");
	assert_string_equal(r->improves, "latency cpu");
	assert_string_equal(r->patches, "p-1 p-2");
	assert_int_equal(r->scope, NT_SCOPE_LINK);
	assert_int_equal(r->severity, NT_SEV_WARNING);
	assert_int_equal(r->cure, NT_CURE_LINK);
	assert_int_equal(r->goals, 1U << NT_GOAL_LATENCY | 1U << NT_GOAL_CPU);
	assert_int_equal(r->line, 3);
	assert_true(r->user);
	assert_int_equal(r->n_examples_yes, 2);
	assert_int_equal(r->n_examples_no, 2);
	assert_int_equal(nt_rulebase_check(rb, collect, &b), 0);
	assert_int_equal(b.len, 0);
	nt_rulebase_free(rb);
}

static void user_rules_replace_shipped_ones(void **state)
{
	static const char mine[] = "[a]\ntitle = mine\n" REST;
	static const char broken[] = "[b]\ntitle = mine\nnonsense = 1\n" REST;
	struct nt_rulebase *rb = nt_rulebase_new();
	struct nt_buf b = { 0 };
	struct nt_err err;

	(void)state;
#define LOAD(file, text, user)                                                           \
	nt_rulebase_load_text(rb, file, text, strlen(text), user, collect, &b, &err)
	assert_int_equal(LOAD("s", GOOD("a") GOOD("b"), false), 0);
	assert_int_equal(LOAD("s2", GOOD("a"), false), 1);
	assert_string_equal(nt_buf_str(&b), "s2:1: [a] there is a rule of that name at s:1\n");
	assert_int_equal(LOAD("u", mine, true), 0);
	assert_int_equal(rb->n, 2);
	assert_string_equal(nt_rulebase_find(rb, "a")->title, "mine");
	assert_int_equal(LOAD("u2", mine, true), 1);
	/* a broken one leaves the shipped one in force */
	assert_int_equal(LOAD("u3", broken, true), 1);
	assert_string_equal(nt_rulebase_find(rb, "b")->title, "t");
#undef LOAD
	nt_buf_free(&b);
	nt_rulebase_free(rb);
}

/* Each false example is told, with what it lacks. */
static void examples_are_run(void **state)
{
	static const char head[] =
		"[a]\ntitle = t\nscope = link\nwhen = ring.rx < ring.rx.max / 2\n"
		"severity = warning\ncure = setting\nwhy = w\nsource = S\n"
		"set = ring.rx := ring.rx.max\nset.2 = coalesce.rx-usecs := 50\n";
	static const struct {
		const char *examples, *faults;
	} cases[] = {
		{ "example.yes = ring.rx=1, ring.rx.max=9, coalesce.rx-usecs=1\n"
		  "example.no = ring.rx=9, ring.rx.max=9\n", "" },
		{ "example.yes = ring.rx=8, ring.rx.max=9, coalesce.rx-usecs=1\n"
		  "example.no = ring.rx=1, ring.rx.max=9, coalesce.rx-usecs=1ms\n",
			"f:11: [a] example.yes: the rule does not fire\n"
			"f:12: [a] example.no: the rule fires\n" },
		{ "example.yes = ring.rx=1\nexample.no = ring.rx.max=9\n",
			"f:11: [a] example.yes: not decided, 'ring.rx.max': not in this capture\n"
			"f:12: [a] example.no: not decided, 'ring.rx': not in this capture\n" },
		/* the second set never shows */
		{ "example.yes = ring.rx=1, ring.rx.max=9\nexample.no = ring.rx=9, ring.rx.max=9\n",
			"f:1: [a] no example.yes shows the change of 'coalesce.rx-usecs'\n" },
	};
	struct nt_rulebase *rb;
	struct nt_buf b = { 0 };
	struct nt_err err;
	char *text;
	size_t i;

	(void)state;
	for (i = 0; i < NT_ARRAY_SIZE(cases); i++) {
		rb = nt_rulebase_new();
		text = nt_asprintf("%s%s", head, cases[i].examples);
		nt_buf_cut(&b, 0);
		assert_int_equal(nt_rulebase_load_text(rb, "f", text, strlen(text), false, collect,
					 &b, &err), 0);
		nt_rulebase_check(rb, collect, &b);
		assert_string_equal(nt_buf_str(&b), cases[i].faults);
		free(text);
		nt_rulebase_free(rb);
	}
	nt_buf_free(&b);
}

static void write_file(const char *dir, const char *name, const char *text)
{
	char *path = nt_asprintf("%s/%s", dir, name);
	FILE *f = fopen(path, "w");

	assert_non_null(f);
	fputs(text, f);
	fclose(f);
	free(path);
}

static void files_and_folders(void **state)
{
	char dir[] = "/tmp/nettune-rule-XXXXXX", *path;
	struct nt_rulebase *rb = nt_rulebase_new();
	struct nt_buf b = { 0 };
	struct nt_err err;

	(void)state;
	assert_non_null(mkdtemp(dir));
	write_file(dir, "b.ini", GOOD("b"));
	write_file(dir, "a.ini", GOOD("a") "[c]\n");
	write_file(dir, "a.txt", "nonsense");
	write_file(dir, ".hidden.ini", "nonsense");
	path = nt_asprintf("%s/z.ini", dir);
	assert_int_equal(mkdir(path, 0700), 0);
	assert_int_equal(nt_rulebase_load_dir(rb, dir, false, collect, &b, &err), 2);
	assert_int_equal(rb->n, 2);
	assert_string_equal(rb->v[0]->id, "a");
	assert_non_null(strstr(nt_buf_str(&b), "a.ini:11: [c] 'title' is missing\n"));
	assert_non_null(strstr(nt_buf_str(&b), "z.ini' is a folder\n"));
	assert_int_equal(nt_rulebase_load(rb, path, false, collect, &b, &err), -EISDIR);
	assert_int_equal(nt_rulebase_load(rb, "/dev/null", false, collect, &b, &err), -EINVAL);
	assert_int_equal(nt_rulebase_load_dir(rb, "/nonexistent", false, collect, &b, &err),
		-ENOENT);
	assert_int_equal(nt_rulebase_load(rb, "/nonexistent", false, collect, &b, &err), -ENOENT);
	assert_string_equal(err.msg, "cannot read '/nonexistent': No such file or directory");
	rmdir(path);
	free(path);
	path = nt_asprintf("rm -r %s", dir);
	assert_int_equal(system(path), 0);
	free(path);
	nt_buf_free(&b);
	nt_rulebase_free(rb);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_refusal),
		cmocka_unit_test(a_value_may_have_1000_bytes),
		cmocka_unit_test(all_of_a_rule_is_kept),
		cmocka_unit_test(user_rules_replace_shipped_ones),
		cmocka_unit_test(examples_are_run),
		cmocka_unit_test(files_and_folders),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
