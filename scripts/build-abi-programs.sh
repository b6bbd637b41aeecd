#!/usr/bin/env bash
# Builds the programs of Tests/ABI, and the checks of promise-conformance as programs, against an installed library, and
# prints their names. Up-to-date programs are kept.
#
# LIBRARY  the library: .build/release/libpromise.so
# OUT      build folder; the library is installed in its prefix/
# JOBS     compilers at a time
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
tests=$root/Tests/ABI
. "$root/scripts/abi-programs.sh"
# shellcheck source=scripts/checks.sh
. "$root/scripts/checks.sh"
use_installed >&2
: "${out:?}" "${libraries:?}"
cp "$LIBRARY" "$out/copy.so"

flags=(-std=c11 -D_DEFAULT_SOURCE -O1 -g "${includes[@]}" "-I$root/Sources/promise-conformance" -pthread)
newest=$(find "$tests" "$root/Sources/promise-conformance" "$root/include" -name '*.h' -printf '%T@ %p\n' | sort -n | tail -n 1 | cut -d' ' -f2-)
stale() { [[ ! -e $2 || $1 -nt $2 || $newest -nt $2 ]]; }

for object in sender receiver; do
  gcc "${flags[@]}" -shared -fPIC "$tests/objects/$object.c" "${libraries[@]}" -o "$out/$object.so"
done
running=0
for name in $(abi_programs); do
  source=$(abi_source "$name")
  if stale "$source" "$out/$name"; then
    if ((running >= ${JOBS:-1})); then wait -n; running=$((running - 1)); fi
    gcc "${flags[@]}" "$source" "${libraries[@]}" -ldl -o "$out/$name" >&2 &
    running=$((running + 1))
  fi
done
while ((running > 0)); do wait -n; running=$((running - 1)); done
abi_programs
