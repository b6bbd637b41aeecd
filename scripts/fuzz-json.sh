#!/usr/bin/env bash
# Fuzzes the JSON reader of libpromise (Tests/ABI/json/fuzz.c) with libFuzzer and AddressSanitizer in both halves, for
# FUZZ_TIME seconds (60), beginning with the corpus in Tests/ABI/json/corpus. New inputs are written to out/fuzz/values.
# With --keep, inputs that add coverage are added to the corpus, which `make test` replays.
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
# A response file of objects: their paths may contain spaces.
find "$folder"/debug/{CPromiseABI,Promises,CPlatform}.build -name '*.o' -printf '"%p"\n' > "$folder/objects"
"$toolchain/bin/clang" -g -O1 -DFUZZ -fsanitize=address,fuzzer -I"$root/include" "$root/Tests/ABI/json/fuzz.c" \
  "@$folder/objects" -L"$runtime" "-Wl,-rpath,$runtime" -lswiftCore -lswiftSwiftOnoneSupport -lswiftSynchronization \
  -lswift_Concurrency -lswift_StringProcessing -lswiftGlibc -lswiftDispatch -ldispatch -lBlocksRuntime -lm -lstdc++ \
  -o "$folder/fuzz-json"

mkdir -p "$found" "$kept"
# The sanitizer does not scan the slab, so it would report memory referenced by cells as leaked.
export ASAN_OPTIONS=detect_leaks=0 SWIFT_BACKTRACE=enable=no
# A run of more than 2 seconds is a hang.
"$folder/fuzz-json" "$found" "$kept" -max_total_time="${FUZZ_TIME:-60}" -timeout=2 -rss_limit_mb=1024 -max_len=4096 \
  -print_final_stats=1 -artifact_prefix="$found-"
if $keep; then "$folder/fuzz-json" -merge=1 -verbosity=0 "$kept" "$found"; fi
