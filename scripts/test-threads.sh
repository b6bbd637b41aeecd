#!/bin/sh
# Runs the tests of concurrency under ThreadSanitizer, in a separate build in which freed cells are not reused.
#
#     scripts/test-threads.sh [all]
#
# all: every test of the Swift library, not only those of concurrency
set -eu
cd "$(dirname "$0")/.."
# Builds only the targets and files of these tests.
case ${1:-} in
  '')
    export PROMISES_TESTS=races
    tests="PromisesTests\.(Combining|Settling|Concurrency|ContextOrder|ContextRaces|FutureRaces|StreamRaces|TaskRaces)"
    ;;
  all)
    export PROMISES_TESTS=library
    tests="^Promises(Foundation|Swift5)?Tests"
    ;;
  *)
    echo "usage: scripts/test-threads.sh [all]" >&2
    exit 64
    ;;
esac
scripts/failures-last.sh swift test --sanitize=thread --scratch-path .build-threads -Xswiftc -DPROMISES_NO_REUSE \
  --filter "$tests"
