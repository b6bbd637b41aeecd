#!/bin/sh
# Makes libpromise.a of the objects listed in a file: one object, in which only the functions of exports.map are global.
# So the engine's other symbols cannot conflict with those of the program or of another Swift library.
#
#     scripts/build-archive.sh ARCHIVE LIST
#
# TOOLS is the prefix of the binutils, `aarch64-linux-gnu-` for example.
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
[ $# -eq 2 ] || { echo "usage: build-archive.sh ARCHIVE LIST" >&2; exit 64; }
archive=$1
tools=${TOOLS:-}
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

# glibc.c binds references to symbol versions, which only a shared library has.
grep -v '/glibc\.c\.o$' "$2" | sed 's/.*/"&"/' >"$scratch/objects"
"$root/scripts/abi-functions.sh" >"$scratch/exports"
sed 's/^/--undefined=/' "$scratch/exports" >"$scratch/roots"

# Without section groups: the linker would drop one in favour of a group of the same name elsewhere.
"${tools}ld" -r --gc-sections --force-group-allocation "@$scratch/roots" "@$scratch/objects" -o "$scratch/libpromise.o"
"${tools}objcopy" --strip-debug "--keep-global-symbols=$scratch/exports" "$scratch/libpromise.o"
rm -f "$archive"
"${tools}ar" rcsD "$archive" "$scratch/libpromise.o"
