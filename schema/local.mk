# SPDX-License-Identifier: GPL-2.0-or-later
dist_pkgdata_DATA += schema/nettune-report-1.json
dist_pkgdata_DATA += schema/nettune-plan-1.json
dist_pkgdata_DATA += schema/nettune-probe-1.json
dist_pkgdata_DATA += schema/nettune-apply-1.json schema/nettune-history-1.json
