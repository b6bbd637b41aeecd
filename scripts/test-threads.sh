#!/bin/sh
# The tests of concurrency under ThreadSanitizer, in a build of its own.
set -eu
cd "$(dirname "$0")/.."
swift test --sanitize=thread --scratch-path .build-threads --filter "PromisesTests\.(Combining|Settling)"
