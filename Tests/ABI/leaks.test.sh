#!/usr/bin/env bash
# Checks that leaks are reported, and that clean programs are not: by the census of check.h, with and without a memory
# checker, and by LeakSanitizer.
#
#     Tests/ABI/leaks.test.sh LIBRARY
#
# CC   the compiler: gcc
set -euo pipefail
[[ $# -eq 1 ]] || { echo "usage: leaks.test.sh LIBRARY" >&2; exit 64; }
root=$(cd "$(dirname "$0")/../.." && pwd)
LIBRARY=$1
. "$root/scripts/checks.sh"
use_installed > /dev/null
cc=${CC:-gcc}
flags=(-std=c11 -D_DEFAULT_SOURCE -O1 -g -Wall -Wextra -Werror "${includes[@]}"
  "-I$root/Sources/promise-conformance" -pthread)

# fails_with TEXT COMMAND...: the command fails, and prints the text.
fails_with() {
  local said=$1
  shift
  if CHECK_PATIENCE=100 "$@" > "$out/said" 2>&1; then echo "it passed"; return 1; fi
  grep -F "$said" "$out/said" || { cat "$out/said"; return 1; }
}
repeatedly() { # repeatedly COMMAND...: the command succeeds 10 times.
  for _ in {1..10}; do "$@" || return; done
}
build() { # build NAME FLAGS...
  "$cc" "${flags[@]}" "${@:2}" "$root/Tests/ABI/leaks/${1%%-*}.c" "${libraries[@]}" -o "$out/$1"
}

# census COMMAND...: the tests of leaky, with a command before them.
census() {
  try "nothing leaks, ${*:-plainly}" "$@" "$out/leaky" nothing
  try "something is left on purpose, ${*:-plainly}" "$@" "$out/leaky" said
  try "a timer ends, ${*:-plainly}" "$@" "$out/leaky" timer
  try "a thread starts, ${*:-plainly}" repeatedly "$@" "$out/leaky" starting
  try "strings leak, ${*:-plainly}" fails_with "it left 2 too many: value" "$@" "$out/leaky" strings
  try "a promise leaks, ${*:-plainly}" fails_with "it left 1 too many: promise" "$@" "$out/leaky" promise
  try "a token leaks, ${*:-plainly}" fails_with "it left 1 too many: token" "$@" "$out/leaky" token
  try "a promise is listed, ${*:-plainly}" fails_with "pending, 1 reference, 0 callbacks" "$@" "$out/leaky" promise
  try "a descriptor leaks, ${*:-plainly}" fails_with "it left 1 too many: open descriptor" "$@" "$out/leaky" descriptor
  try "a thread leaks, ${*:-plainly}" fails_with "it left 1 too many: running thread" "$@" "$out/leaky" thread
  try "a context leaks, ${*:-plainly}" fails_with "it left 1 too many: callback" "$@" "$out/leaky" context
}

try "leaky builds" build leaky
census
if command -v addr2line > /dev/null; then
  try "the place of a promise is printed" fails_with "leaky.c:" "$out/leaky" promise
  try "the place of a callback is printed" fails_with "leaks_a_context" "$out/leaky" context
else
  echo "skipped: the places of what leaks (addr2line is not installed)"
fi
census env CHECK_FORK=0
if command -v valgrind > /dev/null; then
  census env CHECK_FORK=0 "${memcheck[@]}"
else
  echo "skipped: valgrind (not installed)"
fi

# The sanitizer's library may be missing although the compiler is installed, and needs permission to trace.
export ASAN_OPTIONS=detect_leaks=1
echo 'int main(void) { return 0; }' > "$out/none.c"
if ! "$cc" -fsanitize=address "$out/none.c" -o "$out/none" 2> /dev/null; then
  echo "skipped: LeakSanitizer ($cc has no library for it)"
elif ! "$out/none" 2> /dev/null; then
  echo "skipped: LeakSanitizer (it does not run here)"
else
  try "clean builds" build clean-sanitized -fsanitize=address
  try "LeakSanitizer finds nothing" env CHECK_FORK=0 "$out/clean-sanitized"
  try "leaky builds with a sanitizer" build leaky-sanitized -fsanitize=address
  # LeakSanitizer finds the bytes of the string that does not fit in its cell.
  try "LeakSanitizer finds a string" fails_with "LeakSanitizer: detected memory leaks" \
    env CHECK_FORK=0 "$out/leaky-sanitized" strings
fi

echo "$passed passed, $failed failed"
((failed == 0))
