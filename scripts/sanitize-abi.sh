#!/usr/bin/env bash
# The programs of Tests/ABI with a sanitizer in both halves: they link the ordinary build of the engine and the ABI, which
# has one, in place of the Embedded library, which cannot.
#
#     scripts/sanitize-abi.sh thread|address [PROGRAM...]
#
# Each sanitizer has a build folder of its own, .build-threads and .build-addresses.
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
case ${1:-} in
  thread)
    folder=$root/.build-threads
    # ThreadSanitizer puts signal handlers off until the thread makes a call that it intercepts, which a wait does not.
    export WITHOUT=interrupt
    ;;
  address) folder=$root/.build-addresses ;;
  *)
    echo "usage: sanitize-abi.sh thread|address [PROGRAM...]" >&2
    exit 64
    ;;
esac
sanitizer=$1
shift

swift build --package-path "$root" --sanitize="$sanitizer" --scratch-path "$folder" --target CPromiseABI
toolchain=$(dirname "$(dirname "$(readlink -f "$(command -v swift)")")")
. "$root/scripts/ordinary-build.sh"
link_ordinary_build "$root" "$folder" "$toolchain"

# Leaks are valgrind's to find: this one does not look into the slab, so it takes for lost what cells refer to. A size that no
# machine has is refused by the allocator, as everywhere, and does not end the program.
export ASAN_OPTIONS=detect_leaks=0:allocator_may_return_null=1 TSAN_OPTIONS=allocator_may_return_null=1

# The toolchain's own clang: its sanitizer is the one that the Swift half was built for.
PATH=$toolchain/bin:$PATH CC_LIST=clang CFLAGS="-fsanitize=$sanitizer -g" LIBS=$LIBS VALGRIND=0 CHECK_QUICK=1 \
  CHECK_FORK=0 "$root/scripts/test-abi.sh" "$@"
