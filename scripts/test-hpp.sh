#!/usr/bin/env bash
# Tests the C++ header from a user's view: builds the programs of Tests/ABI/hpp with each compiler and standard against
# the installed library, runs them, and runs those of one compiler under valgrind.
#
#     scripts/test-hpp.sh [PROGRAM...]
#
# PROGRAM     names of Tests/ABI/hpp/*.cpp; default: all
# LIBRARY     the library: .build/release/libpromise.so
# INCLUDE     a folder whose headers are used in place of the installed ones
# CXX_LIST    compilers: g++ clang++, as far as they are installed
# STANDARDS   standards: 17 20 23
# SPREAD      1: each program with one compiler and standard, in turn, all under valgrind; default: with each
# JOBS        the number of programs at once: that of the processors
# VALGRIND    0: leave valgrind out
# OUT         build folder: a temporary one
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
tests=$root/Tests/ABI
. "$root/scripts/checks.sh"
. "$root/scripts/compilers.sh"
. "$root/scripts/parted.sh"

# limited LABEL COMMAND...: one check, with a time limit.
limited() { try "$1" timeout 1800 "${@:2}"; }

use_installed
# -gdwarf-4: older versions of valgrind do not read the format of the newest compilers.
flags=(-O1 -gdwarf-4 -Wall -Wextra -Wpedantic -Werror "${includes[@]}" -pthread)
# Arithmetic that overflows traps: optimised, it may have the expected result by chance. This needs no library.
overflow=("-fsanitize=signed-integer-overflow,float-cast-overflow" -fsanitize-undefined-trap-on-error)

# Combinations of a compiler and a standard: all of them, and those with coroutines.
all=()
coroutines=()
for standard in ${STANDARDS:-17 20 23}; do
  for cxx in ${CXX_LIST:-g++ clang++}; do
    if ! command -v "$cxx" > /dev/null; then
      skip "$cxx" "it is not there"
    elif ! option=$(standard_option "$cxx" "c++$standard"); then
      skip "$cxx -std=c++$standard" "the compiler does not know it"
    else
      all+=("$cxx $standard $option")
      if ((standard == 17)); then
        continue
      elif PROBE=cpp supports '#include <coroutine>\nstd::suspend_never never;\n' "$cxx" "$option" -c; then
        coroutines+=("$cxx $standard $option")
      else
        skip "$cxx -std=c++$standard: coroutines" "the compiler or its library has none"
      fi
    fi
  done
done
((${#all[@]} > 0)) || { echo "test-hpp.sh: no compiler of ${CXX_LIST:-g++ clang++} is there" >&2; exit 2; }

if (($# == 0)); then set -- "$tests"/hpp/*.cpp; fi
sources=("$@")
folder=$out

# quiet_headers COMPILER...: whether g++ has no warning of -Weffc++ for the headers. The programs may have some.
quiet_headers() { ! "$@" -Weffc++ -fsyntax-only 2>&1 | grep 'promise/cpp/.*\[-Weffc++\]'; }

# refuses COMPILER...: whether the compiler has an error with each text of refused.cpp, as often as the text is there.
refuses() {
  local text status=0
  LC_ALL=C "$@" -fsyntax-only 2>&1 | grep -E '^[^ ]+:[0-9]+:[0-9]+: error: ' > "$out/errors" || :
  sed -n 's|^ *REFUSED("\(.*\)");$|: \1|p' "$tests/hpp/refused.cpp" > "$out/mistakes"
  [[ -s $out/mistakes ]] || return 1
  while IFS= read -r text; do
    if (($(grep -cF -- "$text" "$out/errors") < $(grep -cF -- "$text" "$out/mistakes"))); then
      echo "no error$text"
      status=1
    fi
  done < <(sort -u "$out/mistakes")
  return $status
}

# hides PROGRAM COMPILER...: whether a library with the program's code that hides its symbols exports, of the headers,
# the exceptions alone.
hides() {
  "${@:2}" -fPIC -shared -fvisibility=hidden -o "$1.so" || return 1
  nm -DC --defined-only "$1.so" | grep 'promises::' > "$1.symbols"
  grep -q 'typeinfo for promises::cancelled' "$1.symbols" && ! grep -vE 'promises::(error|cancelled)' "$1.symbols"
}

# test_source NUMBER: builds and runs a program.
test_source() {
  local source name combination cxx standard option label program traps limit
  name=$(basename "${sources[$1]}" .cpp)
  source=$tests/hpp/$name.cpp
  local combinations=("${all[@]}")
  if [[ $name == coroutines* ]]; then combinations=("${coroutines[@]}"); fi
  if [[ -n ${SPREAD:-} && ${#combinations[@]} -gt 0 ]]; then
    combinations=("${combinations[$1 % ${#combinations[@]}]}")
  fi
  for combination in "${combinations[@]}"; do
    read -r cxx standard option <<< "$combination"
    label="$cxx -std=c++$standard: $name"
    program=$folder/$name-$cxx-$standard
    if [[ $name == refused ]]; then
      limit=()
      if [[ $cxx == clang* ]]; then limit=(-ferror-limit=0); fi
      try "$label" refuses "$cxx" "$option" "${limit[@]}" "${flags[@]}" "$source"
      continue
    fi
    traps=()
    if PROBE=cpp supports 'int main() {}\n' "$cxx" "${overflow[@]}"; then traps=("${overflow[@]}"); fi
    limited "$label builds" "$cxx" "$option" "${flags[@]}" "${traps[@]}" "$source" "${libraries[@]}" -o "$program"
    limited "$label" "$program"
    if [[ $name == coroutines ]]; then
      try "$label: a library hides the headers" hides "$program" "$cxx" "$option" "${flags[@]}" "$source"
    fi
    if [[ $cxx == g++ ]]; then
      try "$label: the headers under -Weffc++" quiet_headers "$cxx" "$option" "${flags[@]/-Werror/}" "$source"
    fi
    if [[ ${VALGRIND:-1} != 0 && (-n ${SPREAD:-} || $cxx-$standard == g++-20) ]] && command -v valgrind > /dev/null; then
      limited "valgrind: $label" "${memcheck[@]}" "$program"
    fi
  done
}

parted test_source "${!sources[@]}"
tell_again
echo "$passed passed, $failed failed"
((failed == 0 && passed > 0))
