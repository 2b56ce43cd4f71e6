/* SPDX-License-Identifier: GPL-2.0-or-later */
static const u32 armada_370_tclk_frequencies[] = {
	166000000,
	200000000,
};

static const u32 a370_cpu_freqs[] = {
	400000000,
	533000000,
};

u32 __init tclk(int strap)
{
	return armada_370_tclk_frequencies[strap & 1];
}

u32 __init cpu(int strap)
{
	return a370_cpu_freqs[strap & 1];
}
