/* SPDX-License-Identifier: GPL-2.0-or-later */
/* {fact} placeholders in titles and explanations. */
#include "config.h"

#include "code.h"

#include <errno.h>
#include <string.h>

#include "nettune/buf.h"

/*
 * The next placeholder of *text: its name into ret, the text before it from *text to the
 * returned pointer, *text moved behind. NULL when there is none left.
 */
static const char *next_name(const char **text, char *ret, size_t size)
{
	const char *open = strchr(*text, '{'), *close = open ? strchr(open, '}') : NULL;
	size_t len;

	if (!close)
		return NULL;
	len = close - open - 1;
	if (len >= size)
		len = size - 1;
	memcpy(ret, open + 1, len);
	ret[len] = '\0';
	*text = close + 1;
	return open;
}

/* {link} and {peer} are the judged scope's own name. */
static bool is_own_name(const char *name, enum nt_scope_kind scope)
{
	return (scope == NT_SCOPE_LINK && strcmp(name, "link") == 0) ||
	       (scope == NT_SCOPE_PATH && strcmp(name, "peer") == 0);
}

int nt_template_check(struct nt_expr_ctx *ctx, const char *text)
{
	const char *s = text, *at;
	char name[256];
	unsigned ref;
	int rc = 0;

	while (rc == 0 && (at = next_name(&s, name, sizeof name)) != NULL) {
		ctx->err_pos = at - text;
		if (!is_own_name(name, ctx->scope))
			rc = nt_ref_add(ctx->refs, name, false, ctx->scope, &ref, ctx->err);
	}
	if (rc == 0 && strpbrk(s, "{}"))
		rc = nt_expr_fault(ctx, strpbrk(s, "{}") - text,
			"a '%c' without its partner", *strpbrk(s, "{}"));
	return rc;
}

char *nt_template_fill(struct nt_run *r, const char *text)
{
	const struct nt_bound *b;
	struct nt_buf out = { 0 };
	const char *from = text, *at;
	char name[256], human[256], shown[256];
	const char *value;

	while (at = next_name(&text, name, sizeof name), at != NULL) {
		nt_buf_add(&out, from, at - from);
		from = text;
		value = "unknown";
		if (is_own_name(name, r->scope->kind)) {
			value = r->scope->name;
		} else {
			b = nt_run_get(r, nt_ref_find(r->refs, name));
			if (b->val.type != NT_V_UNKNOWN) {
				nt_fact_format_human(human, sizeof human, b->fact);
				value = human;
			}
		}
		nt_printable(shown, sizeof shown, value);
		nt_buf_adds(&out, shown);
	}
	nt_buf_adds(&out, from);
	return nt_buf_detach(&out);
}
