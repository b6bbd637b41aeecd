#!/usr/bin/env bash
# libpromise with musl: the conformance program loads libpromise.so, and C programs of Tests/ABI link libpromise.a statically.
#
#     scripts/test-musl.sh [PROGRAM...]        default: one program of each family
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
built=$root/.build-musl
[[ -f $built/libpromise.so ]] || { echo "test-musl.sh: no $built/libpromise.so (make libpromise LIBC=musl)" >&2; exit 2; }
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

if (($# == 0)); then
  CC=musl-gcc "$root/scripts/build-conformance.sh" "$scratch"
  "$scratch/promise-conformance" "$built/libpromise.so" | grep -v '^ok '
  set -- "then" wait cancel discard values json combine timer loop pool serial fork signals threads stream operator
fi
LIBRARY=$built/libpromise.so LIBS=$built/libpromise.a CFLAGS=-static CC_LIST=musl-gcc VALGRIND=0 CHECK_QUICK=1 \
  exec "$root/scripts/test-abi.sh" "$@"
