#!/bin/sh
# Builds the C parts of the benchmarks into the folder OUT: libpromise.so, the floor, a plugin, and the measuring
# programs.
# usage: scripts/build-benchmarks.sh OUT
# LIBPROMISE names a libpromise.so to measure instead of this tree's, for example an installed one. CC and SWIFT name
# the tools.
set -eu

[ $# -eq 1 ] || { echo "usage: scripts/build-benchmarks.sh OUT" >&2; exit 64; }
root=$(cd "$(dirname "$0")/.." && pwd)
mkdir -p "$1"
out=$(cd "$1" && pwd)
cc=${CC:-cc}
swift=${SWIFT:-swift}

if [ -z "${LIBPROMISE:-}" ]; then
  "$swift" build --package-path "$root" -c release --product promise >"$out/build.log" 2>&1 ||
    { cat "$out/build.log" >&2; exit 1; }
  LIBPROMISE=$("$swift" build --package-path "$root" -c release --show-bin-path)/libpromise.so
fi
cp "$LIBPROMISE" "$out/libpromise.so"
strip "$out/libpromise.so"

"$cc" -O3 -shared -fPIC -o "$out/floor.so" "$root/Benchmarks/floor.c"

for plugin in callee chain; do
  "$cc" -std=c11 -O2 -Wall -Wextra -Wpedantic -Werror -shared -fPIC -I "$root/include" -o "$out/$plugin.so" \
    "$root/Benchmarks/plugin/$plugin.c"
done

# build PROGRAM [OPTION]... SOURCE...
build() {
  program=$1
  shift
  (cd "$root/Benchmarks/abi" &&
    "$cc" -std=c11 -D_GNU_SOURCE -O2 -Wall -Wextra -Wpedantic -Werror -I "$root/include" -I ../report/include \
      -o "$out/$program" "$@" library.c workloads.c ../report/report.c ../report/statistics.c -ldl -lpthread)
}
build costs costs.c measure.c process.c growth.c handover.c memory.c parallel.c
# -rdynamic: heap.c interposes the C library's allocator for libpromise.so too.
build counts -rdynamic counts.c heap.c steps.c
