/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Text of the kernel's files. The first byte chooses the parser, the rest is the text. */
#include "config.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "nettune/fact_text.h"
#include "nettune/mem.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void parse(struct nt_snapshot *s, unsigned which, const char *text)
{
	const char *half = text + strlen(text) / 2;
	char *line = nt_strdup(text), *value = strchr(line, '=');

	switch (which % 7) {
	case 0:
		nt_text_snmp(s, text);
		break;
	case 1:
		nt_text_snmp6(s, text);
		break;
	case 2:
		nt_text_sockstat(s, text);
		break;
	case 3:
		nt_text_softnet(s, text);
		break;
	case 4:
		nt_text_stat_table(s, "conntrack", text);
		break;
	case 5:
		if (value)
			*value++ = '\0';
		nt_text_sysctl(s, line, value ? value : "");
		nt_text_kernel_release(s, text);
		break;
	default:
		nt_text_cpu_use(s, text, half);
	}
	free(line);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct nt_snapshot *s;
	char *text, shown[512];
	size_t i;

	if (size < 1)
		return 0;
	s = nt_snapshot_new();
	text = nt_strndup((const char *)data + 1, size - 1);
	parse(s, data[0], text);
	free(text);
	nt_snapshot_seal(s);
	nt_derive(s);
	for (i = 0; i < s->host.n; i++) {
		if (nt_sysctl_secret(nt_snapshot_name(s, s->host.facts[i].id)))
			abort();
		nt_fact_format_human(shown, sizeof shown, &s->host.facts[i]);
	}
	nt_snapshot_free(s);
	return 0;
}
