# SPDX-License-Identifier: GPL-2.0-or-later
SHELL_TESTS += tests/netns/cmdline.sh tests/netns/house.sh
