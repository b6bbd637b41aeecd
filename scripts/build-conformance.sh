#!/bin/sh
# Builds promise-conformance, which checks any implementation of the ABI: C alone, and no library but the C library.
#
#     scripts/build-conformance.sh FOLDER
#
# Writes to FOLDER the program, and the list of functions that it is built with: those of the headers, each with the ABI
# version that introduced it. The exports map has that version: the node PROMISE_1.N stands for version N + 1. CC is the
# compiler, CFLAGS are its options (-O2), MAP is another map.
set -eu

root=$(cd "$(dirname "$0")/.." && pwd)
[ $# -eq 1 ] || { echo "usage: build-conformance.sh FOLDER" >&2; exit 64; }
out=$1
mkdir -p "$out"

# "name version" of each function of the map.
${CC:-cc} -E -P -x c "${MAP:-$root/Sources/CPromiseABI/exports.map}" | awk '
  match($0, /PROMISE_1\.[0-9]+ *{/) { node = substr($0, RSTART + 10); since = node + 1 }
  { while (match($0, /promise_[a-z0-9_]+;/)) {
      print substr($0, RSTART, RLENGTH - 1), since
      $0 = substr($0, RSTART + RLENGTH) } }' >"$out/versions"

# Assigned first: a failure in the word list of a loop would be ignored.
functions=$("$root/scripts/abi-functions.sh")
{
  for name in $functions; do
    since=$(awk -v name="$name" '$1 == name { print $2 }' "$out/versions")
    [ -n "$since" ] || { echo "build-conformance.sh: exports.map does not name $name" >&2; exit 1; }
    echo "FUNCTION($name, $since)"
  done
} >"$out/functions.def"
{
  echo "#ifndef CONFORMANCE_FUNCTIONS_H"
  echo "#define CONFORMANCE_FUNCTIONS_H"
  sed 's/FUNCTION(\(.*\), .*/#define \1 (*implementation.\1_)/' "$out/functions.def"
  echo "#endif"
} >"$out/functions.h"

# shellcheck disable=SC2086 # several words on purpose
${CC:-cc} -std=c11 -D_DEFAULT_SOURCE -Wall -Wextra -Wpedantic ${CFLAGS:--O2} -DCHECK_LOADS "-ffile-prefix-map=$root/=" -pthread \
  "-I$root/include" "-I$out" "-I$root/Sources/promise-conformance" "$root"/Sources/promise-conformance/*.c \
  "$root"/Sources/promise-conformance/checks/*.c -ldl -o "$out/promise-conformance"
