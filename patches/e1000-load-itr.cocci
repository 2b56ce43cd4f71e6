// SPDX-License-Identifier: GPL-2.0-only
// e1000 up to 2.6.19: InterruptThrottleRate=2 chooses the interrupt rate every 2 s, at
// each run of the watchdog, from the bytes of the busier direction: 200000, 90000, 30000
// or 15000 a second. From 2.6.20 the driver adapts after every interrupt (modes 1 and 3)
// and nothing here matches.
//
//   spatch --sp-file e1000-load-itr.cocci drivers/net/e1000/e1000_main.c
//   spatch --sp-file e1000-load-itr.cocci drivers/net/e1000/e1000_param.c

virtual look, present, watchdog, range

// e1000_main.c
@has@
expression a;
@@
 a->itr == 2

@old depends on !look && !has@
symbol e1000_82540;
expression a;
statement S;
@@
 if (a->hw.mac_type >= e1000_82540 && a->itr == 1) S
+if (a->hw.mac_type >= e1000_82540 && a->itr == 2) {
+	/* megabytes since the last run, busier direction */
+	unsigned int load = max(a->gotcl, a->gorcl) / 1000000;
+	unsigned int rate;
+
+	rate = load > 100 ? 15000 : load > 20 ? 30000 : load > 10 ? 90000 : 200000;
+	E1000_WRITE_REG(&a->hw, ITR, 1000000000 / (rate * 256));
+}

// Fixed rates start above the mode numbers.
@depends on old@
expression a;
@@
-a->itr > 1
+a->itr > 2

// e1000_param.c: let 2 through where mode 3 is not known yet. Every other value is still
// checked against the range.
@new@
expression a;
@@
 switch (a->itr) { case 3: ... }

@through@
expression a;
statement S;
@@
 if (a->itr != 2) S

@depends on !look && !new && !through@
expression a, o;
@@
-e1000_validate_option(&a->itr, &o, a);
+if (a->itr != 2)
+	e1000_validate_option(&a->itr, &o, a);

@depends on watchdog@
expression a;
statement S;
@@
* if (a->hw.mac_type >= e1000_82540 && a->itr == 1) S

@depends on range && !new@
expression a, o;
@@
* e1000_validate_option(&a->itr, &o, a);

@depends on present@
expression a;
@@
(
* a->itr == 2
|
* a->itr != 2
)
