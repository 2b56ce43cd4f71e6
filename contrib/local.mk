# SPDX-License-Identifier: GPL-2.0-or-later
EXTRA_DIST += contrib/debian-packages contrib/install-packages.sh
