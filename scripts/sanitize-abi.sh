#!/usr/bin/env bash
# Runs the programs of Tests/ABI with a sanitizer in both halves. They link the ordinary build of the engine and the
# ABI, which supports sanitizers; the Embedded library does not.
#
#     scripts/sanitize-abi.sh thread|address [PROGRAM...]
#
# SOURCES   the package to build: this one
# OUT       build folder: .build-threads, .build-addresses; the programs stay in it if it is given
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
sources=${SOURCES:-$root}
case ${1:-} in
  thread)
    folder=$root/.build-threads
    # ThreadSanitizer defers signal handlers until the thread makes an intercepted call; a wait makes none.
    export WITHOUT=interruption
    ;;
  address)
    folder=$root/.build-addresses
    # AddressSanitizer and pool_called replace the same function.
    export WITHOUT=pool_called
    ;;
  *)
    echo "usage: sanitize-abi.sh thread|address [PROGRAM...]" >&2
    exit 64
    ;;
esac
sanitizer=$1
shift

if [[ -n ${OUT:-} ]]; then folder=$OUT OUT=$OUT/programs; fi

swift build --package-path "$sources" --sanitize="$sanitizer" --scratch-path "$folder" --target CPromiseABI
toolchain=$(dirname "$(dirname "$(readlink -f "$(command -v swift)")")")
. "$root/scripts/ordinary-build.sh"
link_ordinary_build "$sources" "$folder" "$toolchain"

# Valgrind checks for leaks: this sanitizer does not scan the slab, so it would report memory referenced by cells as
# leaked. The allocator returns NULL for an impossible size, as elsewhere, instead of ending the program.
export ASAN_OPTIONS=detect_leaks=0:allocator_may_return_null=1 TSAN_OPTIONS=allocator_may_return_null=1

# The toolchain's own clang: its sanitizer is the one that the Swift half was built for.
PATH=$toolchain/bin:$PATH CC_LIST=clang CFLAGS="-fsanitize=$sanitizer -g" LIBS=$LIBS VALGRIND=0 CHECK_QUICK=1 \
  CHECK_FORK=0 "$root/scripts/test-abi.sh" "$@"
