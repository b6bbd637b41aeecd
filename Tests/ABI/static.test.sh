#!/usr/bin/env bash
# Links programs with libpromise.a as a user does, with a shared C library and fully statically, and runs them.
#
#     Tests/ABI/static.test.sh        LIBRARY: libpromise.so, which libpromise.a is beside
set -euo pipefail
root=$(cd "$(dirname "$0")/../.." && pwd)
. "$root/scripts/abi-programs.sh"
. "$root/scripts/checks.sh"
[[ -f ${LIBRARY%.so}.a ]] || { echo "static.test.sh: no ${LIBRARY%.so}.a (build it first: make libpromise)" >&2; exit 2; }
use_installed
archive=$out/prefix/lib/libpromise.a
flags=(-std=c11 -D_DEFAULT_SOURCE -O1 -Wall -Wextra -Werror "${includes[@]}"
  "-I$root/Sources/promise-conformance" -pthread)
read -ra static <<< "$(pkg-config --static --libs promise)"

# The archive's only global symbols are the functions of the headers: a program may define any other name.
exports() { diff -u <("$root/scripts/abi-functions.sh") <(nm -g --defined-only "$archive" | awk 'NF == 3 { print $3 }'); }
refuses() { ! "$@"; }

try "it defines the functions of the headers alone" exports
try "it asks for no version of a symbol" refuses grep '@' <(nm -u "$archive")
for program in "then" threads timer fork json stream; do
  try "$program links" gcc "${flags[@]}" "$(abi_source "$program")" -Wl,-Bstatic "${libraries[@]}" -Wl,-Bdynamic -o "$out/$program"
  try "$program needs no libpromise.so" refuses grep libpromise <(readelf -d "$out/$program")
  try "$program runs" env -u LD_LIBRARY_PATH CHECK_QUICK=1 "$out/$program"
  try "$program links fully statically" gcc -static "${flags[@]}" "$(abi_source "$program")" "${static[@]}" -o "$out/$program"
  try "$program is static" refuses grep NEEDED <(readelf -d "$out/$program")
  try "$program runs, fully static" env -u LD_LIBRARY_PATH CHECK_QUICK=1 "$out/$program"
done

tell_again
echo "$passed passed, $failed failed"
((failed == 0 && passed > 0))
