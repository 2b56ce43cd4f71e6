# SPDX-License-Identifier: GPL-2.0-or-later
EXTRA_DIST += contrib/debian-packages contrib/install-packages.sh

completionsdir = $(datadir)/bash-completion/completions
dist_completions_DATA = contrib/completions/nettune.bash
