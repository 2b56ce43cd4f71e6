/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "expr.h"

#include <ctype.h>
#include <errno.h>
#include <string.h>

#include "nettune/buf.h"
#include "nettune/unit.h"

static const struct {
	const char *text;
	enum nt_op op;
} ops[] = {
	{ "==", NT_OP_EQ },
	{ "!=", NT_OP_NE },
	{ "<=", NT_OP_LE },
	{ ">=", NT_OP_GE },
	{ "=~", NT_OP_MATCH },
	{ "!~", NT_OP_NOMATCH },
	{ "..", NT_OP_RANGE },
	{ ":=", NT_OP_SET },
	{ "<", NT_OP_LT },
	{ ">", NT_OP_GT },
	{ "+", NT_OP_ADD },
	{ "=", NT_OP_EQ },
	{ "-", NT_OP_SUB },
	{ "*", NT_OP_MUL },
	{ "/", NT_OP_DIV },
	{ "(", NT_OP_OPEN },
	{ ")", NT_OP_CLOSE },
	{ ",", NT_OP_COMMA },
};

static const struct {
	const char *word;
	enum nt_op op;
} words[] = {
	{ "and", NT_OP_AND }, { "or", NT_OP_OR }, { "not", NT_OP_NOT }, { "in", NT_OP_IN },
	{ "has", NT_OP_HAS },
};

/* What people write who come from other languages. */
static const struct {
	const char *text, *instead;
} foreign[] = {
	{ "&&", "and" }, { "||", "or" }, { "!", "not" },
};

static char *keep(struct nt_expr_ctx *ctx, const char *s, size_t len)
{
	char *copy = nt_arena_alloc(ctx->arena, len + 1);

	memcpy(copy, s, len);
	copy[len] = '\0';
	return copy;
}

static bool word_byte(char c)
{
	return isalnum((unsigned char)c) || c == '_' || c == '-';
}

/* The length of the digits-and-dots (and -rcN) that s begins with; their dots. */
static size_t version_len(const char *s, int *ret_dots, bool *ret_rc)
{
	const char *p = s;

	*ret_dots = 0;
	for (; isdigit((unsigned char)*p) || (*p == '.' && isdigit((unsigned char)p[1]));
		p++)
		*ret_dots += *p == '.';
	*ret_rc = strncmp(p, "-rc", 3) == 0 && isdigit((unsigned char)p[3]);
	if (*ret_rc)
		for (p += 3; isdigit((unsigned char)*p); p++)
			;
	return p - s;
}

static int number(struct nt_expr_ctx *ctx, const char *text, size_t *pos, struct nt_token *t)
{
	const char *s = text + *pos, *end;
	size_t len;
	int dots, rc;
	bool is_rc;

	len = version_len(s, &dots, &is_rc);
	t->kind = NT_T_NUM;
	if (dots > 1 || is_rc) {
		t->text = keep(ctx, s, len);
		t->val.type = NT_V_VERSION;
		*pos += len;
		if (word_byte(s[len]) || nt_version_parse(t->text, &t->val.ver) != 0)
			return nt_expr_fault(ctx, t->pos, "'%s%c' is not a version", t->text,
				s[len]);
	} else {
		rc = nt_unit_parse(s, &t->val.num, &t->unit, &end);
		if (rc == -ERANGE)
			return nt_expr_fault(ctx, t->pos, "number too large");
		if (rc || word_byte(*end)) { /* "8139cp" */
			for (len = 0; word_byte(s[len]); len++)
				;
			t->kind = NT_T_WORD;
			t->text = keep(ctx, s, len);
			*pos += len;
			return 0;
		}
		if (t->unit == NT_UNIT_NONE && strncmp(end, "/s", 2) == 0 &&
			!word_byte(end[2])) {
			t->unit = NT_UNIT_PER_S;
			end += 2;
		}
		t->text = keep(ctx, s, end - s);
		t->val.type = NT_V_NUM;
		t->val.num = nt_to_base(t->val.num, t->unit);
		t->val.dim = nt_dim_of(t->unit);
		*pos += end - s;
	}
	t->val.s = t->text;
	return 0;
}

static int string(struct nt_expr_ctx *ctx, const char *text, size_t *pos, struct nt_token *t)
{
	const char *s = text + *pos + 1, *end = strchr(s, '"');

	if (!end)
		return nt_expr_fault(ctx, *pos, "text without closing quote");
	t->kind = NT_T_STRING;
	t->text = keep(ctx, s, end - s);
	*pos += end - s + 2;
	return 0;
}

/* A bare word, a keyword, or a fact's name: words joined by dots, odd ones in quotes. */
static int word(struct nt_expr_ctx *ctx, const char *text, size_t *pos, struct nt_token *t)
{
	const char *s = text + *pos, *end;
	struct nt_buf b = { 0 };
	int rc = 0;
	size_t i;

	t->kind = NT_T_WORD;
	for (;;) {
		if (*s == '"' && b.len) {
			end = strchr(s + 1, '"');
			if (!end || end == s + 1) {
				rc = nt_expr_fault(
					ctx, s - text, "name without closing quote");
				break;
			}
			nt_buf_add(&b, s + 1, end - s - 1);
			s = end + 1;
		} else {
			for (end = s; word_byte(*end) || *end == ':' || *end == '@'; end++)
				if (*end == ':' && end[1] == '=')
					break;
			if (end == s && b.len)
				rc = nt_expr_fault(ctx, s - text, "name '%s' ends in a dot",
					nt_buf_str(&b));
			nt_buf_add(&b, s, end - s);
			s = end;
		}
		if (rc || *s != '.' || s[1] == '.')
			break;
		t->kind = NT_T_NAME;
		nt_buf_addc(&b, '.');
		s++;
	}
	t->text = keep(ctx, nt_buf_str(&b), b.len);
	nt_buf_free(&b);
	*pos = s - text;
	for (i = 0; t->kind == NT_T_WORD && i < NT_ARRAY_SIZE(words); i++)
		if (strcmp(words[i].word, t->text) == 0) {
			t->kind = NT_T_OP;
			t->op = words[i].op;
		}
	return rc;
}

int nt_lex(struct nt_expr_ctx *ctx, const char *text, size_t *pos, struct nt_token *ret)
{
	const char *s;
	size_t i;

	while (isspace((unsigned char)text[*pos]))
		(*pos)++;
	s = text + *pos;
	*ret = (struct nt_token){ .kind = NT_T_END, .pos = *pos };
	if (!*s)
		return 0;
	if (isdigit((unsigned char)*s))
		return number(ctx, text, pos, ret);
	if (*s == '"')
		return string(ctx, text, pos, ret);
	if (isalpha((unsigned char)*s) || *s == '_')
		return word(ctx, text, pos, ret);
	ret->kind = NT_T_OP;
	for (i = 0; i < NT_ARRAY_SIZE(ops); i++)
		if (strncmp(s, ops[i].text, strlen(ops[i].text)) == 0) {
			ret->op = ops[i].op;
			*pos += strlen(ops[i].text);
			return 0;
		}
	for (i = 0; i < NT_ARRAY_SIZE(foreign); i++)
		if (strncmp(s, foreign[i].text, strlen(foreign[i].text)) == 0)
			return nt_expr_fault(ctx, *pos, "no operator '%s': write '%s'",
				foreign[i].text, foreign[i].instead);
	return nt_expr_fault(ctx, *pos, "unexpected '%c'", *s);
}
