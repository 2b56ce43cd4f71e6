/* SPDX-License-Identifier: GPL-2.0-or-later */
enum mac { e1000_82543, e1000_82540 };

struct hw {
	enum mac mac_type;
};

struct adapter {
	struct hw hw;
	u32 itr, gotcl, gorcl;
};

void write_register(struct hw *hw, int reg, u32 value);
#define ITR 0xc4
#define E1000_WRITE_REG(hw, reg, value) write_register(hw, reg, value)

void configure(struct adapter *adapter)
{
	if (adapter->hw.mac_type >= e1000_82540) {
		if (adapter->itr > 1)
			E1000_WRITE_REG(&adapter->hw, ITR, 1000000000 / (adapter->itr * 256));
	}
}

void watchdog(struct adapter *adapter)
{
	if (adapter->hw.mac_type >= e1000_82540 && adapter->itr == 1) {
		u32 itr = adapter->gotcl > adapter->gorcl ? 2000 : 8000;

		E1000_WRITE_REG(&adapter->hw, ITR, 1000000000 / (itr * 256));
	}
	/* wake the receiver */
	E1000_WRITE_REG(&adapter->hw, 0xc8, 0x10);
}
