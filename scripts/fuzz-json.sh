#!/usr/bin/env bash
# Fuzzes what libpromise reads as JSON (Tests/ABI/json/fuzz.c) with libFuzzer and AddressSanitizer in both halves, for
# FUZZ_TIME seconds (60), beginning with the corpus that is kept in Tests/ABI/json/corpus. What is new goes into
# out/fuzz/values; with --keep, what adds coverage is added to the kept corpus, which `make test` replays.
#
#     scripts/fuzz-json.sh [--keep]
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
folder=$root/.build-fuzz
kept=$root/Tests/ABI/json/corpus
found=$root/out/fuzz/values
keep=false
case ${1:-} in
  --keep) keep=true ;;
  "") ;;
  *) echo "usage: fuzz-json.sh [--keep]" >&2; exit 64 ;;
esac

swift build --package-path "$root" --scratch-path "$folder" --target CPromiseABI \
  -Xswiftc -sanitize=address,fuzzer -Xcc -fsanitize=address,fuzzer-no-link
toolchain=$(dirname "$(dirname "$(readlink -f "$(command -v swift)")")")
runtime=$toolchain/lib/swift/linux
# Objects in a file of their own: their paths may hold spaces.
find "$folder"/debug/{CPromiseABI,Promises,CPlatform}.build -name '*.o' -printf '"%p"\n' > "$folder/objects"
"$toolchain/bin/clang" -g -O1 -DFUZZ -fsanitize=address,fuzzer -I"$root/include" "$root/Tests/ABI/json/fuzz.c" \
  "@$folder/objects" -L"$runtime" "-Wl,-rpath,$runtime" -lswiftCore -lswiftSwiftOnoneSupport -lswiftSynchronization \
  -lswift_Concurrency -lswift_StringProcessing -lswiftGlibc -lswiftDispatch -ldispatch -lBlocksRuntime -lm -lstdc++ \
  -o "$folder/fuzz-json"

mkdir -p "$found" "$kept"
# The sanitizer does not look into the slab, so it takes for lost what cells refer to.
export ASAN_OPTIONS=detect_leaks=0 SWIFT_BACKTRACE=enable=no
# A run of more than 2 seconds is a hang.
"$folder/fuzz-json" "$found" "$kept" -max_total_time="${FUZZ_TIME:-60}" -timeout=2 -rss_limit_mb=1024 -max_len=4096 \
  -print_final_stats=1 -artifact_prefix="$found-"
if $keep; then "$folder/fuzz-json" -merge=1 -verbosity=0 "$kept" "$found"; fi
