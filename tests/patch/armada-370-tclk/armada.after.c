/* SPDX-License-Identifier: GPL-2.0-or-later */
static const u32 __initconst a370_tclk_freqs[] = {
	166000000,
	200000000,
};

static const u32 __initconst a370_cpu_freqs[] = {
	400000000,
	533000000,
};

u32 __init tclk(int strap)
{
	return a370_tclk_freqs[strap & 1];
}

u32 __init cpu(int strap)
{
	return a370_cpu_freqs[strap & 1];
}
