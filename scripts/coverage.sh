#!/usr/bin/env bash
# Code coverage of the whole test suite, Swift and C together, as a report by folder.
#
#     scripts/coverage.sh [PROGRAM...]
#
# Builds everything once with counters, in .build-coverage. Runs the Swift tests, then the C programs of Tests/ABI
# against the ordinary build of the engine and the ABI, which has the counters. Processes merge their counters into
# shared files, so every plugin-host that a test starts, and its children, are included, except for confined workers.
# Code for children of fork() that do not call exec is not: test-abi.sh leaves their tests out of a build with the Swift
# runtime.
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
export LLVM_PROFILE_FILE=$profiles/%4m.profraw
# Workers of plugin-host have an environment without this variable, so the name is in the programs too. plugin-host ends
# by _exit(), which writes the counters as exit() does, unless the process may not write there. After a write they are
# zero: a child of vfork() has the memory of its parent.
cat > "$folder/profile.c" <<END
#include <fcntl.h>
#include <unistd.h>
extern int __llvm_profile_write_file(void) __attribute__((weak));
extern void __llvm_profile_reset_counters(void) __attribute__((weak));
extern void __real__exit(int) __attribute__((noreturn));
const char __llvm_profile_filename[] = "$LLVM_PROFILE_FILE";
__attribute__((noreturn)) void __wrap__exit(int status) {
  int file = open("$profiles/lock", O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
  if (file >= 0 && __llvm_profile_write_file && __llvm_profile_reset_counters) {
    close(file);
    __llvm_profile_write_file();
    __llvm_profile_reset_counters();
  }
  __real__exit(status);
}
END
"$toolchain/bin/clang" -c -fPIC -o "$folder/profile.o" "$folder/profile.c"
swift build --enable-code-coverage --build-tests --scratch-path "$folder" \
  -Xlinker "$folder/profile.o" -Xlinker --wrap=_exit

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
