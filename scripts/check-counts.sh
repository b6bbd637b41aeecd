#!/bin/sh
# Checks the budgets that are counted, not timed, and so are the same on every machine: allocations and instructions of
# the C ABI, the sizes of libpromise.so and plugin-host, the library's dependencies, and the start of plugin-host. Part
# of `make test`.
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

# check NAME COUNT LIMIT: one row.
check() {
  verdict=ok
  [ "$2" -le "$3" ] || { verdict=OVER; status=1; }
  printf '  %-58s %10s %10d %8s %8d   %s\n' "$1" "" "$2" "" "$3" "$verdict"
}

# check_size FILE LIMIT: one row, in bytes.
check_size() { check "size, stripped" "$(wc -c <"$1")" "$2"; }
check_size "$out/libpromise.so" 524288

# Libraries loaded with it. The loader and libpthread are parts of glibc (docs/decisions/0022-glibc-floor.md).
needed=$(readelf -d "$out/libpromise.so" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p' |
  grep -v -e '^ld-linux' -e '^libpthread\.so\.0$' | tr '\n' ' ')
verdict=ok
[ "$needed" = "libc.so.6 " ] || { verdict=OVER; status=1; }
printf '  %-58s %38s   %s\n' "libraries that it needs: the C library alone" "$needed" "$verdict"

echo
echo "plugin-host"
host=${PLUGIN_HOST:-$root/.build-host/release/plugin-host}
check_size "$host" 20971520

# Processors differ by a few instructions in string functions, so the limits leave a tenth.
instructions() {
  if command -v valgrind >/dev/null; then
    count=$(valgrind --tool=callgrind --callgrind-out-file=/dev/null "$host" "$1" 2>&1 | sed -n 's/.*Collected : //p')
    check "$1, instructions" "${count:?valgrind counted nothing}" "$2"
  else
    echo "  $1, instructions: skipped, valgrind is not installed"
  fi
}
instructions --version 1130000
instructions --help 9500000

# Each library costs every start. Plugins load libstdc++ when they need it.
needed=$(readelf -d "$host" | sed -n 's/.*(NEEDED).*\[\(.*\)\.so.*/\1/p' | grep -v '^ld-linux' | sort | xargs)
verdict=ok
[ "$needed" = "libc libgcc_s libm" ] || { verdict=OVER; status=1; }
printf '  %-58s %38s   %s\n' "libraries that it needs" "$needed" "$verdict"

# A library beside the program must not be taken for one of the system.
folders=$(readelf -d "$host" | sed -n 's/.*(R[UN]*PATH).*\[\(.*\)\]/\1/p')
verdict=ok
[ -z "$folders" ] || { verdict=OVER; status=1; }
printf '  %-58s %38s   %s\n' "folders that it searches for libraries: none" "$folders" "$verdict"

exit $status
