#!/bin/sh
# The tests of concurrency under ThreadSanitizer, in a build of its own in which freed cells are not used again.
set -eu
cd "$(dirname "$0")/.."
scripts/failures-last.sh swift test --sanitize=thread --scratch-path .build-threads -Xswiftc -DPROMISES_NO_REUSE \
  --filter "PromisesTests\.(Combining|Settling|Concurrency|ContextRaces|FutureRaces)"
