#!/bin/sh
# Tests the adapters to swift-log, swift-metrics, swift-distributed-tracing and OpenCombine, in the package
# Tests/Adapters: this package with all four traits.
# Usage: scripts/test-adapters.sh. Exit status: that of the tests.
set -eu
cd "$(dirname "$0")/.."
scripts/failures-last.sh swift test --package-path Tests/Adapters
