// SPDX-License-Identifier: GPL-2.0-only
// The peripheral clock of the Armada 370 runs at 166 or 200 MHz, ten times what the
// table said. What is derived from it (coalescing times among others) was off by ten.
//
//   spatch --sp-file armada-370-tclk.cocci drivers/clk/mvebu/armada-370.c
//   (up to 3.10: drivers/clk/mvebu/clk-core.c)

virtual look, present, table

@depends on !look@
identifier freqs =~ "^(a370_tclk_freqs|armada_370_tclk_frequencies)$";
@@
static const u32 freqs[] = {
-	16600000,
-	20000000,
+	166000000,
+	200000000,
};

@depends on table@
identifier freqs =~ "^(a370_tclk_freqs|armada_370_tclk_frequencies)$";
@@
static const u32 freqs[] = {
*	16600000,
*	20000000,
};

@depends on present@
identifier freqs =~ "^(a370_tclk_freqs|armada_370_tclk_frequencies)$";
@@
static const u32 freqs[] = {
*	166000000,
*	200000000,
};
