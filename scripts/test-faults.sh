#!/bin/sh
# Runs the fault matrix: broken and hostile plugins against the real command line. Then verifies every shared library of
# the system, and damaged ones.
# usage: scripts/test-faults.sh [PART-OF-A-ROW'S-NAME]
# PLUGIN_HOST names the plugin-host to run. MUTANTS=500 sets the number of damaged files.
set -eu
cd "$(dirname "$0")/.."
: "${PLUGIN_HOST:?names the plugin-host to run}"

status=0
python3 Tests/Faults/run.py "$PLUGIN_HOST" "${1-}" || status=1
if [ $# -eq 0 ]; then
  python3 Tests/Faults/system_libraries.py "$PLUGIN_HOST" /usr/lib || status=1
  python3 Tests/Faults/mutants.py "$PLUGIN_HOST" "${MUTANTS:-500}" || status=1
fi
exit $status
