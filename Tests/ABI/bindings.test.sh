#!/usr/bin/env bash
# The installed files for other languages: promise.cdef in cffi, LuaJIT and PHP, the module map in a Swift plugin,
# PROMISE_PLUGIN_NO_ENTRY in a Go plugin. A language or compiler that is not installed is skipped.
#
#     Tests/ABI/bindings.test.sh        LIBRARY: libpromise.so
set -euo pipefail
root=$(cd "$(dirname "$0")/../.." && pwd)
bindings=$root/Tests/ABI/bindings
. "$root/scripts/checks.sh"
use_installed
installed=$out/prefix/lib/libpromise.so
cdef=$(pkg-config --variable=cdef promise)

prints_42() { [[ $("$@") == 42 ]]; }
refuses() { ! "$@"; }
has() { # has LANGUAGE COMMAND...
  local language=$1
  shift
  if "$@" > /dev/null 2>&1; then return 0; fi
  echo "skipped: $language: '$*' fails"
  return 1
}

try "promise.cdef has no macro, no attribute and no comment" refuses grep -nE '#|__|/[*/]|_Non|_Null' "$cdef"
if has clang clang --version; then
  try "promise.cdef is the same by clang" diff "$cdef" <(CC=clang "$root/scripts/make-cdef.sh")
fi
if has cffi /usr/bin/python3 -c 'import cffi'; then
  try "cffi" prints_42 /usr/bin/python3 "$bindings/answer.py" "$cdef" "$installed"
fi
if has LuaJIT luajit -v; then try "LuaJIT" prints_42 luajit "$bindings/answer.lua" "$cdef" "$installed"; fi
if has PHP php -r 'exit(class_exists("FFI") ? 0 : 1);'; then
  try "PHP" prints_42 php -d ffi.enable=1 "$bindings/answer.php" "$cdef" "$installed"
fi

try "the program that loads plugins builds" gcc -std=c11 -Wall -Wextra "${includes[@]}" "$bindings/load.c" \
  "${libraries[@]}" -ldl -o "$out/load"
if has Swift swiftc --version; then
  try "a Swift plugin imports CPromise" swiftc -emit-library -module-name SwiftPlugin -swift-version 5 "${includes[@]}" \
    "$bindings/plugin.swift" "${libraries[@]}" -o "$out/swift-plugin.so"
  try "the Swift plugin answers" prints_42 "$out/load" "$out/swift-plugin.so"
fi
if has Go env CGO_ENABLED=1 go version; then
  try "a Go plugin exports its entry" env CGO_ENABLED=1 CGO_CFLAGS="${includes[*]}" CGO_LDFLAGS="${libraries[*]}" \
    GOCACHE="$out/go-cache" GOFLAGS=-mod=mod GO111MODULE=off go build -buildmode=c-shared -o "$out/go-plugin.so" \
    "$bindings/plugin.go"
  try "the Go plugin answers" prints_42 "$out/load" "$out/go-plugin.so"
fi

# The guard leaves out the declaration in C too, so each plugin declares the entry itself.
printf '%s\n' '#define PROMISE_PLUGIN_NO_ENTRY' '#include <promise_plugin.h>' \
  'promise_plugin_t *promise_plugin_entry(uint32_t host);' \
  'promise_plugin_t *promise_plugin_entry(uint32_t host) { (void)host; return 0; }' > "$out/guarded.c"
try "a C plugin declares its entry itself" gcc -std=c11 -Wall -Wextra -Werror "${includes[@]}" -c "$out/guarded.c" \
  -o "$out/guarded.o"
sed -i 1d "$out/guarded.c"
try "not without the guard" refuses gcc -std=c11 "${includes[@]}" -c "$out/guarded.c" -o "$out/guarded.o"

tell_again
echo "$passed passed, $failed failed"
((failed == 0 && passed > 0))
