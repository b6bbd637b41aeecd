#!/bin/sh
# Calls random functions, each compiled by two compilers at two levels of optimisation, with random values: host and C
# must agree on every bit. ROUND_TRIPS sets the number of functions, ROUND_TRIP_SEED the seed; the default seed changes
# every day.
set -eu
cd "$(dirname "$0")/.."
export ROUND_TRIPS="${ROUND_TRIPS:-2000}" ROUND_TRIP_SEED="${ROUND_TRIP_SEED:-$(date +%Y%m%d)}"
echo "$ROUND_TRIPS round trips, seed $ROUND_TRIP_SEED"
swift build --build-tests
swift test --skip-build --filter '^PluginRuntimeTests\.RoundTrips'
