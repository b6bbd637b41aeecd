#!/usr/bin/env bash
# Prints the name of every function that a header declares with PROMISE_API, one a line, sorted. The header is the
# source of truth: the exports map, the library and the tests of misuse are checked against this list.
#
#     scripts/abi-functions.sh [HEADER]        default: include/promise.h
set -euo pipefail
export LC_ALL=C
root=$(cd "$(dirname "$0")/.." && pwd)
header=${1:-$root/include/promise.h}
[[ -f $header ]] || { echo "abi-functions.sh: no such header: $header" >&2; exit 2; }

# After preprocessing, PROMISE_API is the visibility attribute at the beginning of a declaration.
names=$(${CC:-cc} -E -P "$header" | tr '\n' ' ' | sed 's/[;{}]/\n/g' |
  sed -n 's/^.*__attribute__ *((visibility("default"))) *//p' |
  sed -n 's/^[^(]*[ *]\([A-Za-z_][A-Za-z0-9_]*\) *(.*$/\1/p' | sort)
[[ -n $names ]] || { echo "abi-functions.sh: $header declares no function" >&2; exit 2; }
printf '%s\n' "$names"
