#!/bin/sh
# The tests of concurrency under ThreadSanitizer, in a build of its own in which freed cells are not used again.
#
#     scripts/test-threads.sh [all]
#
# all: every test of the Swift library, whatever it is about
set -eu
cd "$(dirname "$0")/.."
case ${1:-} in
  '') tests="PromisesTests\.(Combining|Settling|Concurrency|ContextRaces|FutureRaces)" ;;
  all) tests="^Promises(Foundation|Swift5)?Tests" ;;
  *)
    echo "usage: scripts/test-threads.sh [all]" >&2
    exit 64
    ;;
esac
scripts/failures-last.sh swift test --sanitize=thread --scratch-path .build-threads -Xswiftc -DPROMISES_NO_REUSE \
  --filter "$tests"
