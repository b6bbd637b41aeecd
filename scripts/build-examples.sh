#!/bin/sh
# Builds the example plugins against the library in the build folder, for the demo.
#
#   LIBPROMISE=FILE scripts/build-examples.sh DIR
#
# Writes deflate.so, digest.so and catalog.so to DIR. Links the library in DIR/lib under the names used by the linker
# and the loader, where deflate.so finds it.
set -eu

root=$(cd "$(dirname "$0")/.." && pwd)
out=$1
built=${LIBPROMISE:-$root/.build/release/libpromise.so}
[ -f "$built" ] || {
  echo "$0: $built is missing: make libpromise builds it" >&2
  exit 1
}
library=$(cd "$(dirname "$built")" && pwd)/$(basename "$built")
mkdir -p "$out/lib"
out=$(cd "$out" && pwd)
ln -sf "$library" "$out/lib/libpromise.so"
ln -sf "$library" "$out/lib/libpromise.so.1"
make --no-print-directory -s -C "$root/examples/plugins" OUT="$out" PROMISE_CFLAGS="-I$root/include" \
  PROMISE_LIBS="-L$out/lib -Wl,-rpath,$out/lib -lpromise"
