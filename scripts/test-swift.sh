#!/bin/sh
# Checks that the tests cover the specification, then builds and runs every Swift test. The host's tests need the
# program itself beside them.
#
# The tests run in five processes at once. A test that waits for a program blocks one of the few threads of its process,
# and those of EndToEnd run one at a time: in one process they were most of the time. Few tests of a process run at
# once: each await of a test is queued behind all tests that have not begun, and time limits passed meanwhile. The
# interleavings use a thread without a pause.
set -eu
cd "$(dirname "$0")/.."
scripts/check-clauses.sh
LIMIT=3600 scripts/failures-last.sh swift build --build-tests --explicit-target-dependency-import-check error
# The program of the tests itself: several `swift test` at once would write one plan of the build over each other.
run="scripts/failures-last.sh .build/debug/promisesPackageTests.xctest --testing-library swift-testing"
run="$run --experimental-maximum-parallelization-width 4"
scripts/beside.sh "$run --filter '[.]EndToEnd/[A-C]'" "$run --filter '[.]EndToEnd/[^A-C]'" \
  "$run --filter '^PluginRuntimeTests[.]'" "$run --filter '^EngineInterleavings[.]'" \
  "$run --skip '[.]EndToEnd/|^(PluginRuntimeTests|EngineInterleavings)[.]'"
