#!/usr/bin/env bash
# Tests the C++ header from a user's view: builds the programs of Tests/ABI/hpp with each compiler and standard against
# the installed library, runs them, and runs those of one compiler under valgrind.
#
#     scripts/test-hpp.sh
#
# LIBRARY     the library: .build/release/libpromise.so
# CXX_LIST    compilers: g++ clang++, as far as they are installed
# VALGRIND    0: leave valgrind out
# OUT         build folder: a temporary one
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
tests=$root/Tests/ABI
. "$root/scripts/checks.sh"
. "$root/scripts/compilers.sh"

# limited LABEL COMMAND...: one check, with a time limit.
limited() { try "$1" timeout 1800 "${@:2}"; }

use_installed
# -gdwarf-4: older versions of valgrind do not read the format of the newest compilers.
flags=(-O1 -gdwarf-4 -Wall -Wextra -Wpedantic -Werror "${includes[@]}" -pthread)

compilers=0
for cxx in ${CXX_LIST:-g++ clang++}; do
  if ! command -v "$cxx" > /dev/null; then
    skip "$cxx" "it is not there"
    continue
  fi
  compilers=$((compilers + 1))
  for standard in 17 20 23; do
    if ! option=$(standard_option "$cxx" "c++$standard"); then
      skip "$cxx -std=c++$standard" "the compiler does not know it"
      continue
    fi
    has_coroutines=true
    if ((standard > 17)) && ! PROBE=cpp supports '#include <coroutine>\nstd::suspend_never never;\n' "$cxx" "$option" -c; then
      has_coroutines=false
      skip "$cxx -std=c++$standard: coroutines" "the compiler or its library has none"
    fi
    for source in "$tests"/hpp/*.cpp; do
      name=$(basename "$source" .cpp)
      if [[ $name == coroutines* && ($standard == 17 || $has_coroutines == false) ]]; then continue; fi
      label="$cxx -std=c++$standard: $name"
      program=$out/$name-$cxx-$standard
      limited "$label builds" "$cxx" "$option" "${flags[@]}" "$source" "${libraries[@]}" -o "$program"
      limited "$label" "$program"
    done
  done
done
((compilers > 0)) || { echo "test-hpp.sh: no compiler of ${CXX_LIST:-g++ clang++} is there" >&2; exit 2; }

if [[ ${VALGRIND:-1} != 0 ]] && command -v valgrind > /dev/null; then
  for program in "$out"/*-g++-20; do
    if [[ -x $program ]]; then limited "valgrind: $(basename "$program")" "${memcheck[@]}" "$program"; fi
  done
fi

tell_again
echo "$passed passed, $failed failed"
((failed == 0 && passed > 0))
