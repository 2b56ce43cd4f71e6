# SPDX-License-Identifier: GPL-2.0-or-later
EXTRA_DIST += tests/lib/house.py tests/lib/tap.sh tests/lib/compare_ethtool.py
