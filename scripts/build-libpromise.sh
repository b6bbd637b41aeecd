#!/bin/sh
# Builds libpromise.so and libpromise.a for a machine or a C library that SwiftPM does not build them for.
#
#     scripts/build-libpromise.sh aarch64|x86_64 glibc|musl OUT
#
# aarch64 needs Debian's gcc-aarch64-linux-gnu, musl needs musl-tools: `scripts/setup.sh arm64` or `musl`.
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
usage() {
  echo "usage: build-libpromise.sh aarch64|x86_64 glibc|musl OUT" >&2
  exit 64
}
[ $# -eq 3 ] || usage
toolchain=$(dirname "$(readlink -f "$(command -v swiftc)")")
clang=$toolchain/clang

# The Swift half uses no C library, so its triple is one for which the toolchain has a standard library module.
case $1-$2 in
  aarch64-glibc)
    triple=aarch64-none-none-elf c_triple=aarch64-linux-gnu headers=/usr/aarch64-linux-gnu/include tools=aarch64-linux-gnu-
    ;;
  x86_64-musl)
    triple=x86_64-unknown-linux-gnu c_triple=x86_64-linux-gnu headers=/usr/include/x86_64-linux-musl tools=
    ;;
  *) usage ;;
esac
[ -d "$headers" ] || { echo "build-libpromise.sh: no folder $headers: see scripts/setup.sh" >&2; exit 2; }
mkdir -p "$3"
out=$(cd "$3" && pwd)

# The headers of one C library only; the kernel's headers are common.
system="-nostdlibinc -isystem $headers -idirafter /usr/include/$(gcc -print-multiarch) -idirafter /usr/include"
echo "module CPlatform { umbrella \"$root/Sources/CPlatform/include\" export * }" >"$out/CPlatform.modulemap"
: >"$out/objects"
for source in "$root"/Sources/CPlatform/*.c "$root"/Sources/CLibcFloor/*.c; do
  object=$out/$(basename "$source").o
  # shellcheck disable=SC2086 # several words on purpose
  "$clang" "--target=$c_triple" -O2 -fPIC -ffunction-sections -fdata-sections "-ffile-prefix-map=$root/=" $system \
    "-I$root/Sources/CPlatform/include" -c "$source" -o "$object"
  echo "$object" >>"$out/objects"
done

find -L "$root/Sources/libpromise" -name '*.swift' | sort | sed 's/.*/"&"/' >"$out/sources"
# shellcheck disable=SC2046,SC2086 # several words on purpose
"$toolchain/swiftc" -target "$triple" -module-name libpromise -package-name promises -parse-as-library -wmo -Ounchecked -swift-version 6 \
  -suppress-warnings -enable-experimental-feature Embedded -enable-upcoming-feature MemberImportVisibility \
  -enable-upcoming-feature ExistentialAny -Xcc "-fmodule-map-file=$out/CPlatform.modulemap" \
  -Xcc "-fmodule-map-file=$root/include/module.modulemap" $(printf -- '-Xcc %s ' $system) -Xcc -fPIC \
  -Xfrontend -function-sections "@$out/sources" -c -o "$out/libpromise.swift.o"
echo "$out/libpromise.swift.o" >>"$out/objects"

link() {
  sed 's/.*/"&"/' "$out/objects" >"$out/quoted"
  "$@" -shared -Wl,--gc-sections "-Wl,--version-script=$root/Sources/CPromiseABI/exports.map" \
    -Wl,-soname=libpromise.so.1 -Wl,-z,nodelete -Wl,--strip-debug "@$out/quoted" -o "$out/libpromise.so"
}
case $2 in
  glibc) link "$clang" "--target=$c_triple" -fuse-ld=lld -Wl,--no-as-needed -l:libpthread.so.0 -Wl,--as-needed ;;
  musl) link musl-gcc ;;
esac
TOOLS=$tools "$root/scripts/build-archive.sh" "$out/libpromise.a" "$out/objects"
