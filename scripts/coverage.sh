#!/usr/bin/env bash
# Code coverage of the whole test suite, Swift and C together, as a report by folder.
#
#     scripts/coverage.sh [PROGRAM...]
#
# Builds everything once with counters, in .build-coverage. Runs the Swift tests, then the C programs of Tests/ABI against
# the ordinary build of the engine and the ABI, which has the counters. Processes merge their counters into shared files,
# so forked children and every plugin-host that a test starts are included.
#
# PROGRAM     C programs to run; default: all
# SWIFT       0: leave the Swift tests out
# UNCOVERED   a folder or file whose uncovered regions are listed at the end, by line
set -euo pipefail
cd "$(dirname "$0")/.."
root=$PWD
folder=$root/.build-coverage
toolchain=$(dirname "$(dirname "$(readlink -f "$(command -v swift)")")")
runtime=$toolchain/lib/swift/linux

swift build --enable-code-coverage --build-tests --scratch-path "$folder"
binaries=$folder/debug
profiles=$folder/profiles
rm -rf "$profiles"
mkdir -p "$profiles"
export LLVM_PROFILE_FILE=$profiles/%4m.profraw

status=0
if [[ ${SWIFT:-1} != 0 ]]; then
  tests=$(ls -d "$binaries"/*.xctest)
  "$tests" --testing-library swift-testing || status=1
fi

for target in CPromiseABI Promises CPlatform; do
  find "$root/Sources/$target" -name '*.swift' -printf "\"$binaries/$target.build/%f.o\"\n" -o \
    -name '*.c' -printf "\"$binaries/$target.build/%f.o\"\n"
done > "$folder/objects"
LIBS="@$folder/objects -L$runtime -Wl,-rpath,$runtime -lswiftCore -lswiftSwiftOnoneSupport -lswiftSynchronization"
LIBS+=" -lswift_Concurrency -lswift_StringProcessing -lswiftGlibc -lswiftDispatch -ldispatch -lBlocksRuntime -lm -lstdc++"
mkdir -p "$folder/programs"
# The programs themselves are linked with the runtime of the counters, and have none.
OUT=$folder/programs PATH=$toolchain/bin:$PATH CC_LIST=clang CFLAGS="-fprofile-instr-generate" LIBS=$LIBS VALGRIND=0 CHECK_QUICK=1 \
  scripts/test-abi.sh "$@" || status=1

llvm-profdata merge -sparse "$profiles"/*.profraw -o "$folder/merged.profdata"
objects=("$binaries/promisesPackageTests.xctest" -object "$binaries/plugin-host")
for program in "$folder"/programs/clang/*; do
  if [[ -x $program && $program != *.so ]]; then objects+=(-object "$program") && break; fi
done
llvm-cov export -instr-profile "$folder/merged.profdata" "${objects[@]}" > "$folder/coverage.json"
scripts/coverage-report.py "$folder/coverage.json" ${UNCOVERED:+"$UNCOVERED"} || status=1
exit $status
