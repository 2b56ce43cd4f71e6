/* SPDX-License-Identifier: GPL-2.0-or-later */
struct option {
	u32 low, high, standard;
};

struct adapter {
	u32 itr;
};

static int e1000_validate_option(u32 *value, struct option *opt, struct adapter *adapter)
{
	if (*value >= opt->low && *value <= opt->high && adapter)
		return 0;
	*value = opt->standard;
	return -1;
}

void check(struct adapter *adapter, const u32 *given)
{
	struct option opt = { 100, 100000, 8000 };

	adapter->itr = *given;
	switch (adapter->itr) {
	case 0:
	case 1:
		break;
	default:
		e1000_validate_option(&adapter->itr, &opt, adapter);
		break;
	}
}
