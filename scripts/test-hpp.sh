#!/usr/bin/env bash
# The header for C++, tested as a user meets it: the programs of Tests/ABI/hpp, built with each compiler and standard against
# the installed library, run plainly, and those of one compiler under valgrind.
#
#     scripts/test-hpp.sh
#
# LIBRARY     the library: .build/release/libpromise.so
# CXX_LIST    compilers: g++ clang++, those of them that are there
# VALGRIND    0: leave valgrind out
# OUT         where things are built: a temporary folder
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
LIBRARY=$(realpath "${LIBRARY:-$root/.build/release/libpromise.so}")
export LIBRARY
tests=$root/Tests/ABI
if [[ -n ${OUT:-} ]]; then
  mkdir -p "$OUT"
  out=$(realpath "$OUT")
else
  out=$(mktemp -d)
  trap 'rm -rf "$out"' EXIT
fi

passed=0
failed=0
: > "$out/again"
# try LABEL COMMAND...: one check; what it says is shown when it fails.
try() {
  local label=$1
  shift
  if timeout 1800 "$@" > "$out/log" 2>&1; then
    passed=$((passed + 1))
    echo "ok    $label"
  else
    failed=$((failed + 1))
    cat "$out/log"
    echo "FAIL  $label"
    { tail -n 8 "$out/log" && echo "FAIL  $label"; } >> "$out/again"
  fi
}

PREFIX=$out/prefix DESTDIR='' "$root/scripts/install.sh" install library
export PKG_CONFIG_PATH=$out/prefix/lib/pkgconfig LD_LIBRARY_PATH=$out/prefix/lib
read -ra includes <<< "$(pkg-config --cflags promise)"
read -ra libraries <<< "$(pkg-config --libs promise)"
# -gdwarf-4: valgrinds that do not read the format of the newest compilers yet.
flags=(-O1 -gdwarf-4 -Wall -Wextra -Wpedantic -Werror "${includes[@]}" -pthread)

compilers=0
for cxx in ${CXX_LIST:-g++ clang++}; do
  command -v "$cxx" > /dev/null || continue
  compilers=$((compilers + 1))
  for standard in 17 20 23; do
    for source in "$tests"/hpp/*.cpp; do
      name=$(basename "$source" .cpp)
      if [[ $name == coroutines* && $standard == 17 ]]; then continue; fi
      label="$cxx -std=c++$standard: $name"
      program=$out/$name-$cxx-$standard
      try "$label builds" "$cxx" "-std=c++$standard" "${flags[@]}" "$source" "${libraries[@]}" -o "$program"
      try "$label" "$program"
    done
  done
done
((compilers > 0)) || { echo "test-hpp.sh: no compiler of ${CXX_LIST:-g++ clang++} is there" >&2; exit 2; }

if [[ ${VALGRIND:-1} != 0 ]] && command -v valgrind > /dev/null; then
  memcheck=(valgrind -q --fair-sched=try --error-exitcode=9 --leak-check=full
    "--errors-for-leak-kinds=definite,indirect,possible" "--suppressions=$tests/threads.supp")
  for program in "$out"/*-g++-20; do
    if [[ -x $program ]]; then try "valgrind: $(basename "$program")" "${memcheck[@]}" "$program"; fi
  done
fi

if ((failed > 0)); then
  printf '\nWhat failed:\n'
  cat "$out/again"
fi
echo "$passed passed, $failed failed"
((failed == 0 && passed > 0))
