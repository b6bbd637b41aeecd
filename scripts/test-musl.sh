#!/usr/bin/env bash
# Runs the conformance program and the C programs of Tests/ABI against libpromise.so for musl, and some of them, linked
# statically, against libpromise.a.
#
#     scripts/test-musl.sh [PROGRAM...]        default: every program
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
built=$root/.build-musl
[[ -f $built/libpromise.so ]] || { echo "test-musl.sh: no $built/libpromise.so (make libpromise LIBC=musl)" >&2; exit 2; }
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
export LIBRARY=$built/libpromise.so CC=musl-gcc CC_LIST=musl-gcc VALGRIND=0 CHECK_QUICK=1

# Programs that cannot be built with musl, with the reason; each is printed as skipped.
namespaces="musl has no dlmopen()"
replaced="it replaces malloc() by way of glibc's __libc_malloc()"
skipped=("foreign: $namespaces" "monkeys_scarce: $replaced")
for program in "$root"/Tests/ABI/scarce_*.c; do skipped+=("$(basename "$program" .c): $replaced"); done

if (($# == 0)); then
  "$root/scripts/build-conformance.sh" "$scratch/conformance"
  "$scratch/conformance/promise-conformance" "$LIBRARY" | grep -v '^ok '
  LIBS=$built/libpromise.a CFLAGS=-static "$root/scripts/test-abi.sh" "then" wait wait_threads values timer timer_many pool pool_threads thread threads
  . "$root/scripts/abi-programs.sh"
  mapfile -t programs < <(abi_programs)
  set -- "${programs[@]}"
fi
for program in "${skipped[@]}"; do echo "skipped: $program"; done
WITHOUT=$(printf '%s\n' "${skipped[@]}" | cut -d: -f1 | xargs) exec "$root/scripts/test-abi.sh" "$@"
