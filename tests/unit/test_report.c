/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reports of snapshots and findings made by hand, held against tests/golden. With
 * NT_REGEN_GOLDEN set (make regen-golden) the files are written instead.
 */
#include "config.h"

#include <errno.h>
#include <locale.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>

#include <cmocka.h>

#include "nettune/report.h"
#include "report/wrap.h"

/* A report under construction; finding() and friends fill it. */
struct made {
	struct nt_snapshot *s;
	struct nt_rulebase rules;
	struct nt_findings f;
	struct nt_plan plan;
	struct nt_report r;
};

static struct nt_rule rules[] = {
	{ .id = "late-tx-completion", .file = "/usr/share/nettune/rules/tsq.ini",
		.scope = NT_SCOPE_LINK, .severity = NT_SEV_PROBLEM, .cure = NT_CURE_KERNEL,
		.source = "M5 M11 M12", .improves = "throughput",
		.patches = "tsq-floor mvneta-tx-irq" },
	{ .id = "tso-off", .file = "/usr/share/nettune/rules/offload.ini",
		.scope = NT_SCOPE_LINK, .severity = NT_SEV_WARNING, .cure = NT_CURE_SETTING,
		.source = "B2", .improves = "cpu throughput", .patches = "" },
	{ .id = "wmem-small", .file = "/usr/share/nettune/rules/buffers.ini",
		.scope = NT_SCOPE_HOST, .severity = NT_SEV_ADVICE, .cure = NT_CURE_SETTING,
		.source = "M4 S3", .improves = "throughput", .patches = "" },
	{ .id = "half-duplex", .file = "/usr/share/nettune/rules/link.ini",
		.scope = NT_SCOPE_LINK, .severity = NT_SEV_PROBLEM, .cure = NT_CURE_LINK,
		.source = "K3", .improves = "", .patches = "" },
	{ .id = "needs-probe", .file = "/usr/share/nettune/rules/tsq.ini",
		.scope = NT_SCOPE_HOST, .severity = NT_SEV_ADVICE, .cure = NT_CURE_NONE,
		.source = "N1", .improves = "", .patches = "" },
};

static struct nt_rule *rule(const char *id)
{
	size_t i;

	for (i = 0; i < NT_ARRAY_SIZE(rules); i++)
		if (strcmp(rules[i].id, id) == 0)
			return &rules[i];
	fail_msg("no rule %s", id);
	return NULL;
}

static void begin(struct made *m)
{
	static struct nt_rule *all[NT_ARRAY_SIZE(rules)];
	size_t i;

	memset(m, 0, sizeof *m);
	for (i = 0; i < NT_ARRAY_SIZE(rules); i++)
		all[i] = &rules[i];
	m->s = nt_snapshot_new();
	m->s->live = true;
	m->rules.v = all;
	m->rules.n = NT_ARRAY_SIZE(all);
	m->f.holds = 41;
	m->f.not_applicable = 3;
	nt_fact_text(m->s, &m->s->host, NT_FACT_TEXT, "host.name", "nas1");
	nt_fact_text(m->s, &m->s->host, NT_FACT_TEXT, "kernel.release", "3.12.1");
	nt_fact_text(m->s, &m->s->host, NT_FACT_VERSION, "kernel.version", "3.12.1");
	nt_fact_text(m->s, &m->s->host, NT_FACT_TEXT, "kernel.machine", "armv7l");
	nt_fact_int(m->s, &m->s->host, "sysctl.net.ipv4.tcp_wmem.max", NT_UNIT_BYTES, 131072);
	nt_fact_absent(m->s, &m->s->host, "sysctl.net.core.bpf_jit_kallsyms", "needs root");
	nt_fact_absent(m->s, &m->s->host, "probe.throughput", "needs a probe");
}

static struct nt_scope *add_link(struct made *m, const char *name, const char *driver)
{
	struct nt_scope *l = nt_snapshot_add_link(m->s, name);

	l->interesting = true;
	nt_fact_text(m->s, l, NT_FACT_TEXT, "link.driver", driver);
	nt_fact_int(m->s, l, "link.speed", NT_UNIT_MBPS, 1000);
	nt_fact_switch(m->s, l, "feature.tx-tcp-segmentation", false);
	nt_fact_real(m->s, l, "rate.rx_dropped", NT_UNIT_PER_S, 214.25);
	nt_fact_absent(m->s, l, "eee.enabled", "the driver does not report it");
	return l;
}

static struct nt_finding *finding(struct made *m, const char *id, const struct nt_scope *sc,
	const char *title, const char *why)
{
	struct nt_finding *f;

	NT_GROW(m->f.v, m->f.n, m->f.cap);
	f = &m->f.v[m->f.n++];
	memset(f, 0, sizeof *f);
	f->rule = rule(id);
	f->scope = sc;
	f->severity = f->rule->severity;
	f->confidence = NT_CONF_DERIVED;
	f->title = nt_strdup(title);
	f->why = nt_strdup(why);
	return f;
}

static void saw(struct made *m, struct nt_finding *f, const struct nt_scope *sc,
	const char *name)
{
	const struct nt_fact *fact = nt_scope_get(m->s, sc, name);

	assert_non_null(fact);
	NT_GROW(f->seen, f->n_seen, f->cap_seen);
	f->seen[f->n_seen++] = (struct nt_seen){ name, sc, fact };
}

static void change(struct made *m, struct nt_finding *f, const char *tunable,
	struct nt_fact to, enum nt_risk risk)
{
	const struct nt_fact *from = nt_scope_get(m->s, f->scope, tunable);

	assert_non_null(from);
	NT_GROW(f->changes, f->n_changes, f->cap_changes);
	f->changes[f->n_changes++] = (struct nt_change){ .tunable = tunable,
		.scope = f->scope, .row = nt_tunable_find(tunable), .from = *from, .to = to,
		.risk = risk };
}

/* The step that a plan would make of the newest change of f. */
static void step(struct made *m, const struct nt_finding *f, const char *left_out)
{
	const struct nt_change *c = &f->changes[f->n_changes - 1];

	NT_GROW(m->plan.v, m->plan.n, m->plan.cap);
	m->plan.v[m->plan.n++] = (struct nt_step){ .tunable = c->tunable,
		.link = c->scope->name, .row = c->row, .from = c->from, .to = c->to,
		.risk = c->risk, .rule = f->rule->id, .selected = !left_out,
		.left_out = left_out };
}

static void unknown(struct made *m, const char *id, const struct nt_scope *sc,
	const char *fact, const char *reason)
{
	struct nt_unknown *u;

	NT_GROW(m->f.unknown, m->f.n_unknown, m->f.cap_unknown);
	u = &m->f.unknown[m->f.n_unknown++];
	*u = (struct nt_unknown){ .rule = rule(id), .scope = sc };
	NT_GROW(u->missing, u->n_missing, u->cap_missing);
	u->missing[u->n_missing++] = (struct nt_missing){ fact, reason };
}

static const struct nt_report *done(struct made *m)
{
	m->r = (struct nt_report){
		.here = { m->s, &m->f },
		.rules = &m->rules,
		.plan = &m->plan,
		.generated = 1796047320, /* 2026-11-30 14:02 UTC */
	};
	return &m->r;
}

static void end(struct made *m)
{
	size_t i;

	for (i = 0; i < m->f.n; i++) {
		free(m->f.v[i].title);
		free(m->f.v[i].why);
		free(m->f.v[i].seen);
		free(m->f.v[i].changes);
	}
	for (i = 0; i < m->f.n_unknown; i++)
		free(m->f.unknown[i].missing);
	free(m->f.v);
	free(m->f.unknown);
	free(m->f.conflicts);
	free(m->plan.v);
	nt_snapshot_free(m->s);
}

static struct nt_fact on(void)
{
	return (struct nt_fact){ .type = NT_FACT_SWITCH, .v.i = 1 };
}

/* The case of the sketch: a kernel's fault, a setting, advice, and things not known. */
static void make_sick(struct made *m)
{
	struct nt_scope *eth0, *br0;
	struct nt_finding *f;

	begin(m);
	eth0 = add_link(m, "eth0", "mvneta");
	br0 = add_link(m, "br0", "bridge");
	add_link(m, "lo", "")->interesting = false;
	nt_snapshot_seal(m->s);
	f = finding(m, "late-tx-completion", eth0,
		"A single flow is held back: the driver frees sent frames late",
		"TCP keeps only about 1 ms of data below itself, and this driver reports "
		"sent frames every 10 ms: the wire idles.");
	saw(m, f, eth0, "link.driver");
	saw(m, f, &m->s->host, "kernel.version");
	saw(m, f, eth0, "link.speed");
	f = finding(m, "tso-off", br0, "TSO is off here though eth0 below can do it",
		"Every frame costs a trip through the stack – the CPU is the limit.");
	saw(m, f, br0, "feature.tx-tcp-segmentation");
	saw(m, f, eth0, "feature.tx-tcp-segmentation");
	saw(m, f, br0, "rate.rx_dropped");
	change(m, f, "feature.tx-tcp-segmentation", on(), NT_RISK_TRAFFIC);
	step(m, f, NULL);
	f = finding(m, "wmem-small", &m->s->host,
		"The largest send buffer is below the path's need",
		"A flow needs a buffer of the pipe's size.");
	saw(m, f, &m->s->host, "sysctl.net.ipv4.tcp_wmem.max");
	change(m, f, "sysctl.net.ipv4.tcp_wmem.max",
		(struct nt_fact){ .type = NT_FACT_INT, .unit = NT_UNIT_BYTES, .v.i = 4194304 },
		NT_RISK_HOST);
	f->confidence = NT_CONF_KNOWN;
	unknown(m, "needs-probe", &m->s->host, "probe.tx_completion", "needs a probe");
	unknown(m, "half-duplex", br0, "link.duplex", "the driver does not report it");
	NT_GROW(m->f.conflicts, m->f.n_conflicts, m->f.cap_conflicts);
	m->f.conflicts[m->f.n_conflicts++] = (struct nt_conflict){
		"feature.tx-tcp-segmentation", br0, 0, 1, 1 };
	done(m);
}

/* Sixteen links with one fault, two of them with other numbers, and a change left out. */
static void make_many(struct made *m)
{
	struct nt_scope *l[16];
	char name[16];
	size_t i;

	begin(m);
	for (i = 0; i < 16; i++) {
		snprintf(name, sizeof name, "eth%zu", i);
		l[i] = add_link(m, name, "ixgbe");
		nt_fact_int(m->s, l[i], "ring.rx", NT_UNIT_NONE, 512);
		if (i == 3)
			nt_fact_real(m->s, l[i], "rate.rx_dropped", NT_UNIT_PER_S, 3);
	}
	nt_snapshot_seal(m->s);
	for (i = 0; i < 16; i++) {
		struct nt_finding *f = finding(m, "tso-off", l[i],
			"The receive ring overflows", "It is smaller than a burst.");

		saw(m, f, l[i], "rate.rx_dropped");
		change(m, f, "ring.rx",
			(struct nt_fact){ .type = NT_FACT_INT, .v.i = 4096 }, NT_RISK_LINK);
		if (i == 0)
			step(m, f, "needs --risk link");
	}
	for (i = 0; i < 2; i++)
		finding(m, "half-duplex", l[i], "The link runs at half duplex", "It collides.");
	done(m);
}

static void make_healthy(struct made *m)
{
	begin(m);
	add_link(m, "eth0", "igb");
	add_link(m, "eth1", "igb");
	nt_snapshot_seal(m->s);
	unknown(m, "needs-probe", &m->s->host, "probe.tx_completion", "needs a probe");
	done(m);
}

/* Names that try to reach the terminal, wide ones, words wider than the screen. */
static void make_hostile(struct made *m)
{
	struct nt_scope *l;
	struct nt_finding *f;

	begin(m);
	l = add_link(m, "\033[2Jevil\u202e\n\xff", "dr\x9biver\a");
	nt_fact_switch(m->s, l, "feature.rx-lro", false);
	add_link(m, "網路網路", "veth");
	nt_fact_text(m->s, l, NT_FACT_TEXT, "link.firmware", "\033]0;owned\a 網路網路網路網路網路網路網路");
	nt_snapshot_seal(m->s);
	f = finding(m, "tso-off", l,
		"Averyveryveryveryveryveryveryveryveryveryveryveryveryveryveryveryverylongword → …",
		"\033[31m網路網路網路網路網路網路網路網路網路網路網路網路網路網路網路網路網路網路網路網路網路網路網路");
	saw(m, f, l, "link.driver");
	saw(m, f, l, "link.firmware");
	saw(m, f, m->s->links[1], "link.speed");
	change(m, f, "feature.tx-tcp-segmentation", on(), NT_RISK_NONE);
	change(m, f, "feature.rx-lro", on(), NT_RISK_LINK);
	step(m, f, "needs --risk link"); /* tells the link */
	done(m);
}

/* ---- judging ------------------------------------------------------------------------ */

static char *text_of(const struct nt_report *r, struct nt_report_style style)
{
	struct nt_buf b = { 0 };

	nt_report_text(r, &style, &b);
	return nt_buf_detach(&b);
}

static char *json_of(const struct nt_report *r)
{
	size_t size;
	char *text;
	FILE *f = open_memstream(&text, &size);

	assert_non_null(f);
	assert_int_equal(nt_report_json(r, f), 0);
	assert_int_equal(fclose(f), 0);
	return text;
}

/* got is freed. */
static void is_golden(const char *name, char *got)
{
	char *path = nt_asprintf("%s/tests/golden/%s", getenv("SRCDIR"), name);
	FILE *f = fopen(path, getenv("NT_REGEN_GOLDEN") ? "w+" : "r");
	char *want = nt_calloc(1, 1 << 20);

	if (!f)
		fail_msg("cannot open %s", path);
	if (getenv("NT_REGEN_GOLDEN")) {
		fputs(got, f);
		rewind(f);
	}
	assert_int_not_equal(fread(want, 1, (1 << 20) - 1, f), 0);
	fclose(f);
	assert_string_equal(got, want);
	free(want);
	free(path);
	free(got);
}

static void golden_texts(void **state)
{
	static const struct {
		const char *name;
		void (*make)(struct made *m);
		struct nt_report_style style;
	} cases[] = {
		{ "sick.txt", make_sick, { .columns = 80, .utf8 = true, .again = "eth0" } },
		{ "sick-verbose.txt", make_sick,
			{ .columns = 132, .utf8 = true, .verbose = true, .color = true } },
		{ "sick-ascii-48.txt", make_sick, { .columns = 48 } },
		{ "many.txt", make_many, { .columns = 80, .utf8 = true } },
		{ "many-verbose.txt", make_many, { .columns = 80, .verbose = true } },
		{ "healthy.txt", make_healthy, { .columns = 80, .utf8 = true } },
	};
	size_t i;

	(void)state;
	for (i = 0; i < NT_ARRAY_SIZE(cases); i++) {
		struct made m;

		cases[i].make(&m);
		is_golden(cases[i].name, text_of(&m.r, cases[i].style));
		end(&m);
	}
}

static void golden_json(void **state)
{
	struct made m, peer;

	(void)state;
	make_sick(&m);
	is_golden("sick.json", json_of(&m.r));
	make_many(&peer);
	m.r.peer = peer.r.here;
	is_golden("peer.json", json_of(&m.r));
	end(&peer);
	end(&m);
}

/* Cells of the line at s; control bytes fail the test. */
static int line_width(const char *s, bool ascii)
{
	mbstate_t st = { 0 };
	wchar_t wc;
	int cells = 0;
	size_t n;

	while (*s && *s != '\n') {
		n = mbrtowc(&wc, s, 8, &st);
		assert_true(n > 0 && n < 8);
		assert_true(wcwidth(wc) >= 0 && nt_printable_len(s) == n);
		assert_true(!ascii || wc < 0x7f);
		cells += wcwidth(wc);
		s += n;
	}
	return cells;
}

static void never_wider_never_control(void **state)
{
	static void (*const makes[])(struct made *) = { make_sick, make_many, make_healthy,
		make_hostile };
	size_t i;
	int columns, flags;

	(void)state;
	for (i = 0; i < NT_ARRAY_SIZE(makes); i++) {
		struct made m;

		makes[i](&m);
		for (columns = NT_REPORT_MIN_COLUMNS; columns <= 140; columns += 7) {
			for (flags = 0; flags < 4; flags++) {
				char *text = text_of(&m.r, (struct nt_report_style){
					.columns = columns, .utf8 = flags & 1,
					.verbose = flags & 2 }), *p;

				for (p = text; *p; p += strcspn(p, "\n") + 1)
					assert_true(line_width(p, !(flags & 1)) <= columns);
				assert_int_equal(text[strlen(text) - 1], '\n');
				free(text);
			}
		}
		end(&m);
	}
}

static void colour_is_the_severity_word_alone(void **state)
{
	struct made m;
	char *plain, *colored, *p, *q;

	(void)state;
	make_sick(&m);
	plain = text_of(&m.r, (struct nt_report_style){ .columns = 80, .utf8 = true });
	colored = text_of(&m.r, (struct nt_report_style){ .columns = 80, .utf8 = true,
		.color = true });
	assert_null(strchr(plain, '\033'));
	assert_non_null(strstr(colored, "m" "PROBLEM" "\033[0m"));
	for (p = q = colored; *p; p++) {
		if (*p == '\033')
			p = strchr(p, 'm');
		else
			*q++ = *p;
	}
	*q = '\0';
	assert_string_equal(plain, colored);
	free(plain);
	free(colored);
	end(&m);
}

static char *said_by_shell(const char *command)
{
	char *got = nt_calloc(1, 4096);
	FILE *f = popen(command, "r");

	assert_non_null(f);
	fread(got, 1, 4095, f);
	assert_int_equal(pclose(f), 0);
	return got;
}

/* However narrow, a shell reads of the broken command what it reads of the whole one. */
static void broken_commands_stay_exact(void **state)
{
	static const char command[] =
		"printf '<%s>\\n' plain 'single quoted words, a good many of them, and long' "
		"'it'\\''s' \"double $(printf '%s' quoted) words that are too wide for one line\" "
		"net.ipv4.tcp_rmem='4096 131072 6291456' a\\ b\\ c\\ d\\ e\\ f\\ g\\ h\\ i\\ j\\ k";
	char *want = said_by_shell(command), *got;
	int columns;

	(void)state;
	assert_non_null(strstr(want, "<it's>\n"));
	for (columns = 24; columns < 100; columns++) {
		struct nt_buf b = { 0 };
		struct nt_wrap w = { .out = &b, .columns = columns, .utf8 = true };
		const char *p;

		nt_wrap_command(&w, command, 11);
		for (p = nt_buf_str(&b); *p; p += strcspn(p, "\n") + 1)
			assert_true(line_width(p, false) <= columns);
		got = said_by_shell(nt_buf_str(&b));
		assert_string_equal(got, want);
		free(got);
		nt_buf_free(&b);
	}
	free(want);
}

/* Many links are written as they come: the stream, not memory, takes them. */
static void json_says_when_the_stream_fails(void **state)
{
	FILE *full = fopen("/dev/full", "w");
	struct made m;

	(void)state;
	assert_non_null(full);
	make_many(&m);
	assert_int_equal(nt_report_json(&m.r, full), -ENOSPC);
	fclose(full);
	end(&m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(golden_texts),
		cmocka_unit_test(golden_json),
		cmocka_unit_test(never_wider_never_control),
		cmocka_unit_test(colour_is_the_severity_word_alone),
		cmocka_unit_test(broken_commands_stay_exact),
		cmocka_unit_test(json_says_when_the_stream_fails),
	};

	setenv("TZ", "UTC", 1);
	setlocale(LC_CTYPE, "C.UTF-8");
	return cmocka_run_group_tests(tests, NULL, NULL);
}
