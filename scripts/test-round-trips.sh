#!/bin/sh
# Random functions, each compiled by two compilers at two levels of optimisation, called with random values: host and C agree on every
# bit. ROUND_TRIPS says how many, ROUND_TRIP_SEED which ones; without it they are others every day.
set -eu
cd "$(dirname "$0")/.."
export ROUND_TRIPS="${ROUND_TRIPS:-2000}" ROUND_TRIP_SEED="${ROUND_TRIP_SEED:-$(date +%Y%m%d)}"
echo "$ROUND_TRIPS round trips, seed $ROUND_TRIP_SEED"
swift build --build-tests
swift test --skip-build --filter '^PluginRuntimeTests\.RoundTrips'
