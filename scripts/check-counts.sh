#!/bin/sh
# Checks the budgets that are counted, not timed, and so are the same on every machine: allocations and instructions of
# the C ABI, the sizes of libpromise.so and plugin-host, and the library's dependencies. Part of `make test`.
# usage: scripts/check-counts.sh
# LIBPROMISE names a libpromise.so to check instead of the one of this tree, PLUGIN_HOST a plugin-host.
set -eu

root=$(cd "$(dirname "$0")/.." && pwd)
out=$root/.build/benchmarks
"$root/scripts/build-benchmarks.sh" "$out"

status=0
"$out/counts" "$out/floor.so" "$out/libpromise.so" || status=1

echo
echo "libpromise.so"

# check_size FILE LIMIT: one row, in bytes.
check_size() {
  size=$(wc -c <"$1")
  verdict=ok
  [ "$size" -le "$2" ] || { verdict=OVER; status=1; }
  printf '  %-58s %10s %10d %8s %8d   %s\n' "size, stripped" "" "$size" "" "$2" "$verdict"
}
check_size "$out/libpromise.so" 524288

# Libraries loaded with it. The loader and libpthread are parts of glibc (docs/decisions/0022-glibc-floor.md).
needed=$(readelf -d "$out/libpromise.so" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p' |
  grep -v -e '^ld-linux' -e '^libpthread\.so\.0$' | tr '\n' ' ')
verdict=ok
[ "$needed" = "libc.so.6 " ] || { verdict=OVER; status=1; }
printf '  %-58s %38s   %s\n' "libraries that it needs: the C library alone" "$needed" "$verdict"

echo
echo "plugin-host"
check_size "${PLUGIN_HOST:-$root/.build-host/release/plugin-host}" 20971520

exit $status
