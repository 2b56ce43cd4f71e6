// SPDX-License-Identifier: GPL-2.0-only
// Whatever its pacing rate, a socket may keep sysctl_tcp_limit_output_bytes below TCP;
// the rate only raises that limit. Without the floor a NIC that frees sent frames late
// starves the flow, and the sysctl has no say.
//
//   spatch --sp-file tsq-floor.cocci net/ipv4/tcp_output.c
//
// -D look only looks, with -D present for the cured code or -D limit for the faulty one.

virtual look, present, limit

@depends on !look@
identifier fn =~ "^tcp_write_xmit$";
identifier lim, sk, skb;
@@
fn(...)
{
<...
-	lim = max(skb->truesize, sk->sk_pacing_rate >> 10);
+	lim = max_t(unsigned int, sysctl_tcp_limit_output_bytes,
+		    sk->sk_pacing_rate >> 10);
...>
}

@depends on limit@
identifier fn =~ "^tcp_write_xmit$";
identifier lim, sk, skb;
@@
fn(...)
{
<...
*	lim = max(skb->truesize, sk->sk_pacing_rate >> 10);
...>
}

@depends on present@
identifier fn =~ "^tcp_write_xmit$";
symbol sysctl_tcp_limit_output_bytes;
expression rate;
type T;
@@
fn(...)
{
<...
*	max_t(T, sysctl_tcp_limit_output_bytes, rate)
...>
}
