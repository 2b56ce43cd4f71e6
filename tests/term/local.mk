# SPDX-License-Identifier: GPL-2.0-or-later
SHELL_TESTS += tests/term/tui.sh
SHELL_TESTS += tests/term/tui_signals.sh
SHELL_TESTS += tests/term/tui_waits.sh
SHELL_TESTS += tests/term/tui_probe.sh
SHELL_TESTS += tests/term/tui_commands.sh
SHELL_TESTS += tests/term/tui_mouse.sh
SHELL_TESTS += tests/term/tui_keys.sh
SHELL_TESTS += tests/term/tui_options.sh
SHELL_TESTS += tests/term/tui_care.sh
EXTRA_DIST += tests/lib/tmux.sh tests/lib/undrawn_plan.py
