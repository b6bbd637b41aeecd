#!/bin/sh
# Prints the declarations of promise.h as one text without macros, attributes, comments and inclusions: the input of
# `ffi.cdef` of cffi and LuaJIT, and of PHP's `FFI::cdef`. All three predefine fixed-width integers, size_t and bool.
# Constants are enumerators, except PROMISE_DEMAND_UNLIMITED: UINT64_MAX does not fit in an enumerator.
# Contents with a length are `const uint8_t *`. PHP makes a string of a returned `const char *`: the string ends before
# the first NUL, and reads beyond BYTES without one.
#
#     scripts/make-cdef.sh [HEADER]        default: include/promise.h
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
header=${1:-$root/include/promise.h}
[ -f "$header" ] || { echo "make-cdef.sh: no such header: $header" >&2; exit 2; }
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

# Stub headers replace the C library's, so that the names of the types remain.
for name in stdint stddef stdbool; do : >"$scratch/$name.h"; done
{
  echo '#include "promise.h"'
  # 1u, which LuaJIT supports.
  echo 'enum { CDEF_ABI_VERSION = PROMISE_ABI_VERSION };'
} >"$scratch/cdef.c"
${CC:-cc} -E -P -U__clang__ -nostdinc -isystem "$scratch" -I "$(dirname "$header")" '-D__attribute__(attributes)=' \
  "$scratch/cdef.c" >"$scratch/text"
sed -e 's/CDEF_ABI_VERSION = \([0-9]*\)u/PROMISE_ABI_VERSION = \1/' -e 's/  *$//' -e 's/^  *\([a-z]\)/\1/' \
  -e 's/^const char \(\* promise_value_\(data\|key\)(\)/const uint8_t \1/' -e '/^$/d' "$scratch/text"
