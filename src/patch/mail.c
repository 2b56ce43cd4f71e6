/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "nettune/patch.h"

#include <stdio.h>
#include <string.h>

#define MAIL_COLUMNS 72

/* A paragraph filled to the width of a commit message. */
static void paragraph(struct nt_buf *out, const char *text)
{
	size_t column = 0, len;
	const char *s;

	if (!text)
		return;
	for (s = text + strspn(text, " "); *s; s += strspn(s, " ")) {
		len = strcspn(s, " ");
		if (column && column + 1 + len > MAIL_COLUMNS) {
			nt_buf_addc(out, '\n');
			column = 0;
		}
		/* mbox and patch readers stop at such a line */
		if (column == 0 &&
			(strncmp(s, "From ", 5) == 0 || strncmp(s, "---", 3) == 0 ||
				strncmp(s, "diff ", 5) == 0))
			nt_buf_addc(out, ' ');
		nt_buf_addf(out, "%s%.*s", column ? " " : "", (int)len, s);
		column += (column != 0) + len;
		s += len;
	}
	nt_buf_adds(out, "\n\n");
}

static void one_mail(
	struct nt_buf *out, const struct nt_patch_run *run, size_t i, const char *date)
{
	const struct nt_patch_change *c = &run->changes[i];
	const struct nt_patch *p = c->patch;
	char *made;

	nt_buf_adds(out,
		"From 0000000000000000000000000000000000000000 Mon Sep 17 00:00:00 2001\n"
		"From: nettune <nettune@invalid>\n");
	nt_buf_addf(out, "Date: %s\nSubject: [PATCH", date);
	if (run->n_changes > 1)
		nt_buf_addf(out, " %zu/%zu", i + 1, run->n_changes);
	nt_buf_addf(out,
		"] %s\nMIME-Version: 1.0\nContent-Type: text/plain; charset=UTF-8\n"
		"Content-Transfer-Encoding: 8bit\n\n",
		p->subject);
	paragraph(out, p->why);
	paragraph(out, p->does);
	paragraph(out, p->limits);
	made = nt_asprintf("Made for Linux %s by nettune %s from its semantic patch %s.",
		run->version_text, PACKAGE_VERSION, p->id);
	paragraph(out, made);
	free(made);
	if (p->commit)
		nt_buf_addf(out, "Upstream: %s\n", p->commit);
	if (p->fixes)
		nt_buf_addf(out, "Fixes: %s\n", p->fixes);
	nt_buf_addf(
		out, "---\n%s-- \nnettune %s\n\n", nt_buf_str(&c->diff), PACKAGE_VERSION);
}

void nt_patch_run_mail(const struct nt_patch_run *run, time_t date, struct nt_buf *out)
{
	char text[64] = "";
	struct tm tm;
	size_t i;

	/* the program leaves LC_TIME at C: English day and month names */
	if (gmtime_r(&date, &tm))
		strftime(text, sizeof text, "%a, %d %b %Y %H:%M:%S +0000", &tm);
	for (i = 0; i < run->n_changes; i++)
		one_mail(out, run, i, text);
}
