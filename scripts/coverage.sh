#!/usr/bin/env bash
# Code coverage of the whole test suite, Swift and C together, as a report by folder.
#
#     scripts/coverage.sh [PROGRAM...]
#
# Builds everything once with counters, in .build-coverage. Runs the Swift tests, then the C programs of Tests/ABI
# against the ordinary build of the engine and the ABI, which has the counters. Processes share files of counters, so
# every plugin-host that a test starts, and its children and workers, are included. Code for children of fork() that do
# not call exec is not: test-abi.sh leaves their tests out of a build with the Swift runtime.
#
# PROGRAM     C programs to run; default: all
# SWIFT       0: leave the Swift tests out
# UNCOVERED   a folder or file whose uncovered regions are listed at the end, by line
set -euo pipefail
cd "$(dirname "$0")/.."
root=$PWD
folder=$root/.build-coverage
toolchain=$(dirname "$(dirname "$(readlink -f "$(command -v swift)")")")
. "$root/scripts/ordinary-build.sh"

binaries=$folder/debug
profiles=$folder/profiles
rm -rf "$profiles"
mkdir -p "$profiles"
# %c: a process maps its counters from the file, so one that is killed, or that may not write files, counts too.
export LLVM_PROFILE_FILE=$profiles/%c%4m.profraw
# Tests start programs with environments of their own, so the name is in the programs too.
echo "const char __llvm_profile_filename[] = \"$LLVM_PROFILE_FILE\";" > "$folder/profile.c"
"$toolchain/bin/clang" -c -fPIC -o "$folder/profile.o" "$folder/profile.c"
swift build --enable-code-coverage --build-tests --scratch-path "$folder" -Xlinker "$folder/profile.o" \
  -Xswiftc -Xllvm -Xswiftc -runtime-counter-relocation -Xcc -mllvm -Xcc -runtime-counter-relocation

status=0
if [[ ${SWIFT:-1} != 0 ]]; then
  tests=$(ls -d "$binaries"/*.xctest)
  "$tests" --testing-library swift-testing || status=1
fi

link_ordinary_build "$root" "$folder" "$toolchain"
mkdir -p "$folder/programs"
# The test programs are linked with the runtime of the counters, and are not instrumented themselves.
OUT=$folder/programs PATH=$toolchain/bin:$PATH CC_LIST=clang CFLAGS="-fprofile-instr-generate" LIBS=$LIBS VALGRIND=0 CHECK_QUICK=1 \
  scripts/test-abi.sh "$@" || status=1

"$toolchain/bin/llvm-profdata" merge -sparse "$profiles"/*.profraw -o "$folder/merged.profdata"
objects=("$binaries/promisesPackageTests.xctest" -object "$binaries/plugin-host")
for program in "$folder"/programs/built/clang/*; do
  if [[ -x $program && $program != *.so ]]; then objects+=(-object "$program") && break; fi
done
"$toolchain/bin/llvm-cov" export -instr-profile "$folder/merged.profdata" "${objects[@]}" > "$folder/coverage.json"
scripts/coverage-report.py "$folder/coverage.json" ${UNCOVERED:+"$UNCOVERED"} || status=1
exit $status
