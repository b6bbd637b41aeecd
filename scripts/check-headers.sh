#!/usr/bin/env bash
# Compiles every public header alone, in two translation units that are linked together, in one of them twice. Covers
# each standard of C and C++ that the header supports, with every installed compiler, warnings as errors. The same runs
# check sizes, offsets and constants (Tests/ABI/layout.c), and each function's type (Tests/ABI/signatures.c).
#
#     scripts/check-headers.sh
#
# INCLUDE is the folder of the headers (default: include), JOBS the number of compilers at once. A compiler that is not
# installed is reported as skipped.
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
include=${INCLUDE:-$root/include}
tests=$root/Tests/ABI
warnings=(-Wall -Wextra -Wpedantic -Werror)
. "$root/scripts/compilers.sh"
. "$root/scripts/parted.sh"
compilers=(gcc clang tcc g++ clang++)

out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
passed=0
failed=0

# try LABEL COMMAND...: one check; shows the compiler's output if it fails.
try() {
  local label=$1
  shift
  if "$@" > "$out/log" 2>&1; then
    passed=$((passed + 1))
  else
    failed=$((failed + 1))
    echo "check-headers.sh: $label" >&2
    cat "$out/log" >&2
  fi
}

# write HEADER: the sources for one header.
write() {
  printf '#include "%s"\n#include "%s"\nextern int other(void);\nint other(void) { return 0; }\n' "$1" "$1" > "$out/first.c"
  printf '#include "%s"\nextern int other(void);\nint main(void) { return other(); }\n' "$1" > "$out/second.c"
}

# check "COMPILER LANGUAGE STANDARD"
check() {
  local option header path
  # shellcheck disable=SC2086 # three words
  set -- $1
  if ! option=$(standard_option "$1" "$3"); then
    skip "$1 -std=$3" "the compiler does not know it"
    return
  fi
  local compile=("$1" -x "$2" "$option" "${warnings[@]}" "-I$include")
  if [[ $1 == tcc ]]; then compile=("$1" "$option" "${warnings[@]}" "-I$include"); fi
  while read -r path; do
    header=${path#"$include"/}
    write "$header"
    try "$1 -std=$3: $header" "${compile[@]}" "$out/first.c" "$out/second.c" -o "$out/linked"
  done < <(find "$include" -name '*.h' | sort)
  try "$1 -std=$3: layout" "${compile[@]}" -c "$tests/layout.c" -o "$out/layout.o"
  try "$1 -std=$3: signatures" "${compile[@]}" -c "$tests/signatures.c" -o "$out/signatures.o"
}

# Each function of the headers has a line in signatures.c.
signatures_are_complete() {
  sed -n 's/^FUNCTION(\([a-z_0-9]*\),.*/\1/p' "$tests/signatures.c" | sort > "$out/signatures"
  diff -u --label headers --label signatures.c <("$root/scripts/abi-functions.sh" "$include/promise_plugin.h") \
    "$out/signatures"
}
try "signatures.c is complete" signatures_are_complete

# Each header is in the module map: clang assigns a declaration of another header to the module that includes it first.
module_map_is_complete() {
  diff -u --label folder --label module.modulemap <(cd "$include" && find . -name '*.h' | sed 's,^\./,,' | sort) \
    <(sed -n 's/^ *header "\(.*\)"$/\1/p' "$root/include/module.modulemap" | sort)
}
try "module.modulemap is complete" module_map_is_complete

# Prints the declarations whose comment promises a new reference, or a builder, and which lack PROMISE_NODISCARD.
may_be_discarded() {
  awk '/^\/\*/ { returns = 0 } /Returns a (new reference|builder)/ { returns = 1 }
    /^PROMISE_(NODISCARD )?API/ && returns && !/^PROMISE_NODISCARD/ { print FILENAME ": " $0 }' "$include"/promise/*.h
}
try "each new reference is PROMISE_NODISCARD" diff -u /dev/null <(may_be_discarded)

# Each callback type has a typedef, which bindings need. The host's functions are exempt: they are fields.
callbacks_without_a_name() {
  find "$include/promise" "$include/promise.h" -name '*.h' -exec grep -nE '\(\*(PROMISE_|[a-z])' {} + | grep -v ':typedef ' || :
}
try "each callback type has a name" diff -u /dev/null <(callbacks_without_a_name)

# discards COMPILER LANGUAGE STANDARD: compiles a program that does not use a promise, which is a warning.
discards() {
  printf '#include "promise.h"\nint main(void) { %s; return 0; }\n' "$4" > "$out/discards.c"
  "$1" -x "$2" "-std=$3" -Werror "-I$include" -c "$out/discards.c" -o "$out/discards.o"
}
refuses() { ! "$@"; }

combinations=()
for compiler in "${compilers[@]}"; do
  if ! command -v "$compiler" > /dev/null; then
    skip "$compiler" "it is not there"
    continue
  fi
  case $compiler in
    *++*) for standard in c++11 c++14 c++17 c++20 c++23; do combinations+=("$compiler c++ $standard"); done ;;
    *) for standard in c99 c11 c17; do combinations+=("$compiler c $standard"); done ;;
  esac
done
parted check "${combinations[@]}"

for compiler in gcc clang g++ clang++; do
  command -v "$compiler" > /dev/null || continue
  language=c standard=c11
  if [[ $compiler == *++* ]]; then language=c++ standard=c++17; fi
  try "$compiler: a used promise" discards "$compiler" "$language" "$standard" "promise_release(promise_new())"
  try "$compiler: an unused promise is a warning" refuses discards "$compiler" "$language" "$standard" "promise_new()"
done

echo "$passed passed, $failed failed"
((failed == 0 && passed > 0))
