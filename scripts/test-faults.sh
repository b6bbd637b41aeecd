#!/bin/sh
# Runs the fault matrix: broken and hostile plugins against the real command line, in each isolation mode. Then verifies
# every shared library of the system, and damaged ones, and runs short forms of the attacks that have targets of their
# own.
# usage: scripts/test-faults.sh [PART-OF-A-ROW'S-NAME]
#        scripts/test-faults.sh --mutants | --exchange
# PLUGIN_HOST names the plugin-host to run. MUTANTS=500 sets the number of damaged files, SEED repeats a run,
# SECONDS_OF_ATTACK=60 the time of --exchange.
set -eu
cd "$(dirname "$0")/.."
: "${PLUGIN_HOST:?names the plugin-host to run}"

case "${1-}" in
--mutants) exec python3 Tests/Faults/mutants.py "$PLUGIN_HOST" process "${MUTANTS:-5000}" ${SEED:+"$SEED"} ;;
--exchange) exec python3 Tests/Faults/exchange.py "$PLUGIN_HOST" "${SECONDS_OF_ATTACK:-60}" ;;
esac

status=0
python3 Tests/Faults/run.py "$PLUGIN_HOST" "${1-}" || status=1
if [ $# -eq 0 ]; then
  python3 Tests/Faults/system_libraries.py "$PLUGIN_HOST" /usr/lib || status=1
  for isolation in in-process process; do
    python3 Tests/Faults/mutants.py "$PLUGIN_HOST" "$isolation" "${MUTANTS:-500}" ${SEED:+"$SEED"} || status=1
  done
  python3 Tests/Faults/exchange.py "$PLUGIN_HOST" 4 || status=1
fi
exit $status
