#!/bin/sh
# Checks that the tests cover the specification, then builds and runs every Swift test. The host's tests need the
# program itself beside them.
set -eu
cd "$(dirname "$0")/.."
scripts/check-clauses.sh
scripts/failures-last.sh swift build --build-tests --explicit-target-dependency-import-check error
scripts/failures-last.sh swift test --skip-build
