/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <errno.h>
#include <locale.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "nettune/buf.h"
#include "nettune/cells.h"
#include "nettune/clock.h"
#include "nettune/err.h"
#include "nettune/jsonw.h"
#include "nettune/mem.h"
#include "nettune/names.h"
#include "nettune/unit.h"
#include "nettune/version.h"

static void errors_keep_one_tame_line(void **state)
{
	struct nt_err err;

	(void)state;
	assert_int_equal(nt_err_sys(&err, -ENODEV, "no link '%s'", "a\033[2Jb"), -ENODEV);
	assert_string_equal(err.msg, "no link 'a?[2Jb': No such device");
	nt_err_prefix(&err, "reading");
	assert_string_equal(err.msg, "reading: no link 'a?[2Jb': No such device");
	assert_int_equal(err.code, -ENODEV);
	assert_int_equal(nt_err_set(NULL, -EIO, "x"), -EIO);
}

static void clocks_agree(void **state)
{
	uint64_t first = nt_now_ns(), last;
	int64_t ms = nt_now_ms(), boot_ms = nt_boot_ms();
	double s = nt_now_s(), boot_s = nt_boot_s();

	(void)state;
	last = nt_now_ns();
	assert_true(ms >= (int64_t)(first / 1000000) && ms <= (int64_t)(last / 1000000));
	assert_true(s > (double)first / 1e9 - 1e-6 && s < (double)last / 1e9 + 1e-6);
	/* sleep counts there, too */
	assert_true(boot_ms >= ms && boot_s > (double)boot_ms / 1e3 - 1e-6);
}

static void buffers_grow(void **state)
{
	struct nt_buf b = { 0 };
	char *s;
	int i;

	(void)state;
	assert_string_equal(nt_buf_str(&b), "");
	for (i = 0; i < 1000; i++)
		nt_buf_addf(&b, "%d,", i);
	assert_int_equal(b.len, 3890);
	nt_buf_cut(&b, 5);
	assert_string_equal(nt_buf_str(&b), "0,1,2");
	s = nt_buf_detach(&b);
	assert_string_equal(s, "0,1,2");
	free(s);
	nt_buf_free(&b);
}

static void bytes_in_hexadecimal(void **state)
{
	static const unsigned char bytes[] = { 0x00, 0x0f, 0xa5, 0xff };
	struct nt_buf b = { 0 };
	char text[16];

	(void)state;
	assert_ptr_equal(nt_hex(text, bytes, 4, ":"), text + 11);
	assert_string_equal(text, "00:0f:a5:ff");
	assert_ptr_equal(nt_hex(text, bytes, 0, ":"), text);
	assert_string_equal(text, "");
	nt_buf_adds(&b, "x ");
	nt_buf_add_hex(&b, bytes, 4);
	nt_buf_add_hex(&b, NULL, 0);
	assert_string_equal(nt_buf_str(&b), "x 000fa5ff");
	assert_int_equal(b.len, 10);
	nt_buf_free(&b);
}

static void globs(void **state)
{
	(void)state;
	assert_true(nt_glob("feature.*.fixed", "feature.tx-lro.fixed"));
	assert_false(nt_glob("feature.*.fixed", "feature.tx-lro.fixedx"));
	assert_true(nt_glob("a*b*c", "a-b-b-c"));
	assert_true(nt_glob("r?.[0-9]", "rx.7"));
	assert_false(nt_glob("r?.[!0-9]", "rx.7"));
	assert_true(nt_glob("[", "["));
	assert_true(nt_glob("", ""));
	assert_false(nt_glob("", "x"));
	assert_true(nt_glob("**", "anything"));
}

static void columns_hold_wide_characters(void **state)
{
	char out[64];

	(void)state;
	if (!setlocale(LC_CTYPE, "C.UTF-8"))
		skip();
	assert_int_equal(nt_cells(""), 0);
	assert_int_equal(nt_cells("eth0"), 4);
	assert_int_equal(nt_cells("h\xc3\xa9"), 2);
	assert_int_equal(nt_cells("\xe6\x97\xa5\xe6\x9c\xac"), 4); /* double-width */
	assert_int_equal(nt_cells("e\xcc\x81"), 1);		   /* combining */
	assert_int_equal(nt_cells("a\xff"), 2);		   /* no UTF-8 */
	assert_int_equal(nt_char_cells("\xe6\x97\xa5", 3), 2);
	assert_int_equal(nt_char_cells("\x1b", 1), -1);
	assert_int_equal(nt_char_cells("\xff", 0), -1);
	snprintf(out, sizeof out, "%-*s|", nt_field("\xe6\x97\xa5", 4), "\xe6\x97\xa5");
	assert_string_equal(out, "\xe6\x97\xa5  |");
	snprintf(out, sizeof out, "%*s|", nt_field("h\xc3\xa9", 4), "h\xc3\xa9");
	assert_string_equal(out, "  h\xc3\xa9|");
	snprintf(out, sizeof out, "%-*s|", nt_field("eth0", 2), "eth0");
	assert_string_equal(out, "eth0|");
	setlocale(LC_CTYPE, "C");
	assert_int_equal(nt_cells("\xe6\x97\xa5"), 1);
}

static void names_are_made_printable(void **state)
{
	char out[32];

	(void)state;
	nt_printable(out, sizeof out, "ok \xc3\xa9 \x1b[31m \xff");
	assert_string_equal(out, "ok \xc3\xa9 ?[31m ?");
	nt_printable(out, 4, "ab\xc3\xa9");
	assert_string_equal(out, "ab");
	/* U+202E would write what follows from right to left */
	nt_printable(out, sizeof out, "a\xe2\x80\xae" "b\xe2\x81\xa6" "c\xd8\x9c" "d\xe2\x82\xac");
	assert_string_equal(out, "a???b???c??d\xe2\x82\xac");
}

static void one_literal(const char *s, double value, enum nt_unit unit)
{
	enum nt_unit u;
	double v;

	assert_int_equal(nt_unit_parse(s, &v, &u, NULL), 0);
	assert_true(fabs(v - value) <= 1e-9 * fabs(value));
	assert_int_equal(u, unit);
}

static void unit_literals(void **state)
{
	double v;
	enum nt_unit u;

	(void)state;
	one_literal("1Gbit", 1e9, NT_UNIT_BPS);
	one_literal("2.5Gbit/s", 2.5e9, NT_UNIT_BPS);
	one_literal("10ms", 10, NT_UNIT_MS);
	one_literal("256KiB", 262144, NT_UNIT_BYTES);
	one_literal("1e3", 1000, NT_UNIT_NONE);
	one_literal("5%", 5, NT_UNIT_PERCENT);
	assert_int_equal(nt_unit_parse("10parsec", &v, &u, NULL), -EINVAL);
	assert_int_equal(nt_unit_parse("ms", &v, &u, NULL), -EINVAL);
	assert_int_equal(nt_unit_parse("1e999", &v, &u, NULL), -ERANGE);
	assert_int_equal(nt_unit_convert(1, NT_UNIT_MS, NT_UNIT_US, &v), 0);
	assert_true(fabs(v - 1000) < 1e-6);
	assert_int_equal(nt_unit_convert(1, NT_UNIT_MS, NT_UNIT_BYTES, &v), -EINVAL);
	assert_int_equal(nt_unit_convert(1, NT_UNIT_PAGES, NT_UNIT_NONE, &v), -EINVAL);
	assert_int_equal(nt_unit_parse_as("64KiB", NT_UNIT_BYTES, &v), 0);
	assert_true(v == 65536);
	assert_int_equal(nt_unit_parse_as("20", NT_UNIT_US, &v), 0);
	assert_true(v == 20);
	assert_int_equal(nt_unit_parse_as("2ms", NT_UNIT_US, &v), 0);
	assert_true(fabs(v - 2000) < 1e-6);
	assert_int_equal(nt_unit_parse_as("2ms", NT_UNIT_BYTES, &v), -EINVAL);
	assert_int_equal(nt_unit_parse_as("x", NT_UNIT_NONE, &v), -EINVAL);
}

static void one_format(double v, enum nt_unit unit, const char *want)
{
	char out[64];

	nt_unit_format(out, sizeof out, v, unit);
	assert_string_equal(out, want);
}

static void units_for_people(void **state)
{
	(void)state;
	one_format(1000, NT_UNIT_MBPS, "1000 Mbit/s");
	one_format(4194304, NT_UNIT_BYTES, "4 MiB");
	one_format(1500, NT_UNIT_BYTES, "1500 bytes");
	one_format(1, NT_UNIT_BYTES, "1 byte");
	one_format(4096, NT_UNIT_BYTES, "4 KiB");
	one_format(87380, NT_UNIT_BYTES, "85.3 KiB");
	one_format(10100, NT_UNIT_US, "10.1 ms");
	one_format(3, NT_UNIT_US, "3 us");
	one_format(0, NT_UNIT_US, "0 us");
	one_format(512, NT_UNIT_NONE, "512");
	one_format(35117.4, NT_UNIT_PER_S, "35117 /s");
	one_format(1234567.8, NT_UNIT_PER_S, "1234568 /s");
	one_format(12.345, NT_UNIT_PER_S, "12.35 /s");
}

static bool in(const char *v, const char *first, const char *last)
{
	struct nt_version a, b, c;

	assert_int_equal(nt_version_parse(v, &a), 0);
	assert_int_equal(nt_version_parse(first, &b), 0);
	assert_int_equal(nt_version_parse(last, &c), 0);
	return nt_version_in(&a, &b, &c);
}

static void versions(void **state)
{
	struct nt_version a;
	char out[48];

	(void)state;
	assert_true(in("3.10.18", "3.10.18", "3.10.22"));
	assert_true(in("3.10.22-generic", "3.10.18", "3.10.22"));
	assert_false(in("3.10.23", "3.10.18", "3.10.22"));
	assert_true(in("3.11.10", "3.11.7", "3.11"));
	assert_false(in("3.12", "3.11.7", "3.11"));
	assert_true(in("3.12-rc5", "3.12-rc4", "3.12.3"));
	assert_false(in("3.12-rc3", "3.12-rc4", "3.12.3"));
	assert_false(in("3.14", "3.12", "3.14-rc2"));
	assert_int_equal(nt_version_parse("v6", &a), -EINVAL);
	assert_int_equal(nt_version_parse("6.1.0-18-amd64", &a), 0);
	nt_version_format(out, &a);
	assert_string_equal(out, "6.1.0");
}

static void json_is_streamed(void **state)
{
	struct nt_jsonw w;
	char *text = NULL;
	size_t len = 0;
	FILE *f = open_memstream(&text, &len);

	(void)state;
	nt_jsonw_init(&w, f, 1);
	nt_jsonw_object(&w, NULL);
	nt_jsonw_str(&w, "s", "a\"\\\n\xff\xc3\xa9");
	nt_jsonw_array(&w, "a");
	nt_jsonw_int(&w, NULL, INT64_MIN);
	nt_jsonw_real(&w, NULL, NAN);
	nt_jsonw_real(&w, NULL, 0.5);
	nt_jsonw_end(&w);
	nt_jsonw_object(&w, "e");
	nt_jsonw_end(&w);
	nt_jsonw_end(&w);
	assert_int_equal(nt_jsonw_finish(&w), 0);
	fclose(f);
	assert_string_equal(text, "{\n  \"s\": \"a\\\"\\\\\\u000a\\ufffd\xc3\xa9\",\n"
				  "  \"a\": [-9223372036854775808, null, 0.5],\n"
				  "  \"e\": {}\n}\n");
	free(text);
}

/* Every byte at every place of a word of eight, as a value and as a key made beforehand.
 */
static void json_of_any_byte(void **state)
{
	const char hex[] = "0123456789abcdef";
	char s[12], want[96], in_json[24], *text;
	size_t len, at, c;

	(void)state;
	for (c = 1; c < 0x80; c++)
		for (at = 0; at < sizeof s - 1; at++) {
			struct nt_arena arena = { 0 };
			struct nt_jsonw_key key;
			struct nt_jsonw w;
			FILE *f = open_memstream(&text, &len);

			memset(s, 'x', sizeof s - 1);
			s[sizeof s - 1] = '\0';
			s[at] = (char)c;
			if (c == '"' || c == '\\')
				snprintf(in_json, sizeof in_json, "%.*s\\%s", (int)at, s,
					s + at);
			else if (c < 0x20 || c == 0x7f)
				snprintf(in_json, sizeof in_json, "%.*s\\u00%c%c%s",
					(int)at, s, hex[c >> 4], hex[c & 15], s + at + 1);
			else
				snprintf(in_json, sizeof in_json, "%s", s);
			snprintf(want, sizeof want, "{\"%s\": \"%s\", \"%s\": 7}\n",
				in_json, in_json, in_json);
			nt_jsonw_init(&w, f, 0);
			nt_jsonw_quote(&w, 1, s, &arena, &key);
			nt_jsonw_object(&w, NULL);
			nt_jsonw_key(&w, &key);
			nt_jsonw_str(&w, NULL, s);
			nt_jsonw_key(&w, &key);
			nt_jsonw_int(&w, NULL, 7);
			nt_jsonw_end(&w);
			assert_int_equal(nt_jsonw_finish(&w), 0);
			fclose(f);
			assert_string_equal(text, want);
			free(text);
			nt_arena_free(&arena);
		}
}

/* Long strings, of characters that become longer, with every fill of the buffer. */
static void json_of_any_length(void **state)
{
	size_t lengths[] = { 0, 1, 2700, 2731, 8191, NT_JSONW_BUF - 9, NT_JSONW_BUF - 8,
		NT_JSONW_BUF, NT_JSONW_BUF + 1, 5 * NT_JSONW_BUF };
	size_t i, n;

	(void)state;
	for (i = 0; i < NT_ARRAY_SIZE(lengths); i++) {
		struct nt_jsonw w;
		char *text = NULL, *s = nt_malloc(lengths[i] + 1);
		size_t len = 0, controls = 0;
		FILE *f = open_memstream(&text, &len);

		for (n = 0; n < lengths[i]; n++) {
			s[n] = n % 3 ? 'x' : 1;
			controls += s[n] == 1;
		}
		s[n] = '\0';
		nt_jsonw_init(&w, f, 0);
		nt_jsonw_object(&w, NULL);
		nt_jsonw_str(&w, s, s);
		nt_jsonw_int(&w, "after", 1);
		nt_jsonw_end(&w);
		assert_int_equal(nt_jsonw_finish(&w), 0);
		fclose(f);
		assert_int_equal(len, strlen("{\"\": \"\", \"after\": 1}\n") +
					      2 * (lengths[i] + 5 * controls));
		assert_int_equal(strlen(text), len);
		free(text);
		free(s);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(errors_keep_one_tame_line),
		cmocka_unit_test(clocks_agree),
		cmocka_unit_test(buffers_grow),
		cmocka_unit_test(bytes_in_hexadecimal),
		cmocka_unit_test(globs),
		cmocka_unit_test(columns_hold_wide_characters),
		cmocka_unit_test(names_are_made_printable),
		cmocka_unit_test(unit_literals),
		cmocka_unit_test(units_for_people),
		cmocka_unit_test(versions),
		cmocka_unit_test(json_is_streamed),
		cmocka_unit_test(json_of_any_byte),
		cmocka_unit_test(json_of_any_length),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
