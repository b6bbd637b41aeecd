#!/usr/bin/env bash
# Tests the C ABI from a user's view: the exports of the library, the headers with every compiler, the installation, and
# the programs of Tests/ABI and the checks of promise-conformance, built with each compiler against the installed
# library, with and without valgrind.
#
#     scripts/test-abi.sh [PROGRAM...]
#
# PROGRAM     names of Tests/ABI/*.c and of the checks of promise-conformance to run, without the rest; default:
# everything
# LIBRARY     the library: .build/release/libpromise.so
# CC_LIST     compilers: gcc clang, as far as they are installed
# SPREAD      1: each program with one of the compilers, in turn; default: with each
# JOBS        the number of programs at once: that of the processors
# CFLAGS      added to the script's options
# LIBS        linked instead of the installed library: a static build, say, whose sanitizer the programs share
# WITHOUT     names of programs to leave out
# RUNNER      a command that runs the programs: an emulator of another machine
# VALGRIND    0: leave valgrind out
# OUT         build folder: a temporary one
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
tests=$root/Tests/ABI
. "$root/scripts/abi-programs.sh"
. "$root/scripts/checks.sh"
. "$root/scripts/compilers.sh"
. "$root/scripts/parted.sh"

# run LABEL COMMAND...: a test program, whose last line counts its tests.
run() {
  local label=$1 status=0 good=0 bad=0
  shift
  timeout --kill-after=10 1200 "$@" > "$out/log" 2> "$out/errors" || status=$?
  read -r good bad < <(sed -n 's/^\([0-9]*\) passed, \([0-9]*\) failed$/\1 \2/p' "$out/log" | tail -n 1) || :
  if [[ $status -eq 0 && ${good:-0} -gt 0 && ${bad:-1} -eq 0 ]]; then
    grep '^skipped: ' "$out/log" || :
    echo "ok    $label: $good passed"
  else
    cat "$out/errors" >> "$out/log"
    cat "$out/log"
    echo "FAIL  $label (status $status)"
    again "$label (status $status)"
    if [[ ${bad:-0} -eq 0 ]]; then bad=1; fi
  fi
  passed=$((passed + ${good:-0}))
  failed=$((failed + bad))
}

# The tests of the misuse programs are named exactly like the functions of the header.
misuse_is_complete() {
  local program
  for program in "$built"/*/misuse_*; do CHECK_LIST=1 "$program"; done | sort -u > "$out/misuse"
  diff -u --label "promise.h" --label "misuse_*.c" <("$root/scripts/abi-functions.sh") "$out/misuse"
}

# A second copy of the library, for tests with two copies in one process.
copy_library() {
  cp "$LIBRARY" "$out/copy.so"
  export CHECK_COPY=$out/copy.so
}

# Uses LIBS instead of the installed library: without a second copy of it, shared objects that link it, and children of
# fork(), which must call exec if the process has a Swift runtime.
use_given() {
  includes=("-I$root/include")
  read -ra libraries <<< "$LIBS"
  without+=" foreign objects dlclose fork fork_settling fork_pool fork_loops fork_traffic queue_fork $own_locks"
  export CHECK_SKIP="${CHECK_SKIP:-} refused_job_is_not_waited_for" # a child, too
}

without=${WITHOUT:-}
endless="limits" # sufficient, where everything takes fifty times as long
own_heap="monkeys_scarce scarce_depth scarce_executors scarce_promises scarce_queues scarce_settling scarce_streams scarce_tokens scarce_values" # built with `wrapped` for a checker with an allocator of its own
forks_anywhere="fork_traffic" # a child loses the memory that another thread had just allocated
own_locks="deadline_overlap delay_overlap inner_overlap lock_pairs wait_overlap" # a sanitizer replaces the same functions
all=$#
if ((all == 0)); then
  mapfile -t programs < <(abi_programs)
else
  programs=("$@")
fi
if [[ -n ${LIBS:-} ]]; then use_given; else use_installed; copy_library; fi

# check_whole NAME: a check of the whole library, or of an installation.
check_whole() {
  case $1 in
    check-abi) try "ABI" "$root/scripts/check-abi" "$LIBRARY" ;;
    check-abi.test) run "the check of the ABI refuses what it should" "$tests/check-abi.test.sh" ;;
    statuses) run "the check of statuses refuses what it should" "$tests/statuses.test.sh" ;;
    conformance) run "conformance" "$root/Tests/Conformance/conformance.test.sh" "$LIBRARY" ;;
    install) run "installation" "$tests/install.test.sh" "$LIBRARY" ;;
    static) run "static linking" env -u OUT "$tests/static.test.sh" ;;
    bindings) run "other languages" env -u OUT "$tests/bindings.test.sh" ;;
    leaks) run "leaks" env -u OUT "$tests/leaks.test.sh" "$LIBRARY" ;;
    *) try "no check is named $1" false ;;
  esac
}

if ((all == 0)) && [[ -z ${LIBS:-} ]]; then
  run "headers" "$root/scripts/check-headers.sh"
  # The longest ones begin first.
  parted check_whole conformance check-abi.test leaks bindings static install statuses check-abi
fi

# -gdwarf-4: older versions of valgrind do not read the format of the newest compilers.
read -ra more <<< "${CFLAGS:-}"
read -ra runner <<< "${RUNNER:-}"
flags=(-std=c11 -D_DEFAULT_SOURCE -O1 -gdwarf-4 -Wall -Wextra -Wpedantic -Werror "${more[@]}" "${includes[@]}"
  "-I$root/Sources/promise-conformance" -pthread)

# Record the statuses that the functions return, if the library is the installed one and every program runs.
watch=()
if ((all == 0)) && [[ -z ${LIBS:-} && -z ${CHECK_QUICK:-} ]]; then
  try "a wrapper that notes statuses" "$root/scripts/abi-statuses.py" wrap "$root/include" "$out"
  watch=(env "LD_PRELOAD=$out/statuses.so" "STATUSES_SEEN=$out/statuses.seen")
fi

compilers=()
for cc in ${CC_LIST:-gcc clang}; do
  if command -v "$cc" > /dev/null; then compilers+=("$cc"); else skip "$cc" "it is not there"; fi
done
((${#compilers[@]} > 0)) || { echo "test-abi.sh: no compiler of ${CC_LIST:-gcc clang} is there" >&2; exit 2; }
built=$out/built
for cc in "${compilers[@]}"; do
  mkdir -p "$built/$cc"
  if [[ -n ${LIBS:-} ]]; then continue; fi
  for object in sender receiver; do
    try "$cc: $object.so" "$cc" "${flags[@]}" -shared -fPIC "$tests/objects/$object.c" "${libraries[@]}" \
      -o "$built/$cc/$object.so"
  done
done

# compilers_for NUMBER: the compilers for the program of this number.
compilers_for() {
  if [[ -n ${SPREAD:-} ]]; then echo "${compilers[$1 % ${#compilers[@]}]}"; else echo "${compilers[@]}"; fi
}

# test_program NUMBER: builds and runs a program.
test_program() {
  local program=${programs[$1]} cc extra=()
  if [[ " $without " == *" $program "* ]]; then return; fi
  if [[ -n ${CHECK_QUICK:-} && " $endless " == *" $program "* ]]; then return; fi
  if [[ -n ${LIBS:-} && " $own_heap " == *" $program "* ]]; then extra=("${wrapped[@]}"); fi
  for cc in $(compilers_for "$1"); do
    try "$cc: $program builds" "$cc" "${flags[@]}" "${extra[@]}" "$(abi_source "$program")" "${libraries[@]}" -ldl \
      -o "$built/$cc/$program"
    CHECK_OBJECTS=$built/$cc run "$cc: $program" "${watch[@]}" "${runner[@]}" "$built/$cc/$program"
  done
}

# check_program NUMBER: runs a program under valgrind, all tests in one process: leaks are attributed and the start-up
# cost is paid once.
check_program() {
  local program=${programs[$1]} cc leaks=()
  if [[ " $without $endless " == *" $program "* ]]; then return; fi
  cc=$(compilers_for "$1")
  cc=${cc##* }
  if [[ " $own_heap " == *" $program "* ]]; then
    if [[ ! -f ${LIBRARY%.so}.a ]]; then
      skip "valgrind: $program" "no ${LIBRARY%.so}.a"
      return
    fi
    try "valgrind: $program builds" "$cc" "${flags[@]}" "${wrapped[@]}" "$(abi_source "$program")" "${LIBRARY%.so}.a" \
      -o "$built/$cc/$program"
  fi
  if [[ " $forks_anywhere " == *" $program "* ]]; then leaks=(--leak-check=no); fi
  CHECK_OBJECTS=$built/$cc run "valgrind: $program" env CHECK_QUICK=1 CHECK_FORK=0 CHECK_TIMEOUT=1800 \
    "${memcheck[@]}" "${leaks[@]}" "$built/$cc/$program"
}

parted test_program "${!programs[@]}"
if ((all == 0)); then
  try "every function is misused" misuse_is_complete
  for number in "${!compilers[@]}"; do
    if [[ -n ${SPREAD:-} && $number -gt 0 ]]; then continue; fi
    cc=${compilers[number]}
    try "$cc: json/convert builds" "$cc" "${flags[@]}" "$tests/json/convert.c" "${libraries[@]}" -o "$built/convert"
    run "$cc: JSON, against Python's" python3 "$tests/json/compare.py" "$built/convert"
    try "$cc: json/fuzz builds" "$cc" "${flags[@]}" "$tests/json/fuzz.c" "${libraries[@]}" -o "$built/fuzz"
    run "$cc: JSON, the corpus of the fuzzer" "$built/fuzz" "$tests"/json/corpus/*
  done
fi
if ((${#watch[@]})); then
  try "the statuses seen are those that the headers promise" "$root/scripts/abi-statuses.py" check "$root/include" "$out"
fi
if [[ ${VALGRIND:-1} != 0 ]] && command -v valgrind > /dev/null; then parted check_program "${!programs[@]}"; fi

if ((all == 0)) && [[ -z ${LIBS:-} ]]; then
  for cxx in g++ clang++; do
    if ! command -v "$cxx" > /dev/null; then
      skip "$cxx" "it is not there"
      continue
    fi
    try "$cxx: cxx builds" "$cxx" -std=c++11 -Wall -Wextra -Wpedantic -Werror "${more[@]}" "${includes[@]}" \
      "$tests/cxx.cpp" "${libraries[@]}" -o "$out/cxx"
    run "$cxx: cxx" "$out/cxx"
  done
  OUT=$out/hpp run "promise.hpp" "$root/scripts/test-hpp.sh"
fi

tell_again
echo "test-abi.sh: $passed passed, $failed failed"
((failed == 0 && passed > 0))
