#!/bin/sh
# Fuzzes the signature parser, the conversion of arguments, the parser of JSON and the verifier of libraries with
# libFuzzer, beginning with the corpus in Tests/Fuzz/corpus, for FUZZ_TIME seconds each (60). New inputs are written to
# out/fuzz; with --keep, inputs that add coverage are added to the corpus.
# usage: scripts/fuzz.sh [--keep] [TARGET]...
set -eu

root=$(cd "$(dirname "$0")/.." && pwd)
swift=${SWIFT:-swift}
seconds=${FUZZ_TIME:-60}
keep=0
if [ "${1-}" = --keep ]; then
  keep=1
  shift
fi
[ $# -gt 0 ] || set -- signature arguments json library

# gold, Swift's default linker, does not support the fuzzer's debug information.
"$swift" build --package-path "$root/Tests/Fuzz" -c release -Xswiftc -sanitize=fuzzer -Xswiftc -use-ld=lld \
  -Xswiftc -assert-config -Xswiftc Debug
fuzz=$("$swift" build --package-path "$root/Tests/Fuzz" -c release --show-bin-path)/fuzz

# Swift's backtracer would catch the crash, and the fuzzer could not save the input.
SWIFT_BACKTRACE=enable=no
export SWIFT_BACKTRACE

for target; do
  kept=$root/Tests/Fuzz/corpus/$target
  found=$root/out/fuzz/$target
  mkdir -p "$kept" "$found"
  cd "$found/.."
  echo "fuzz: $target, $seconds seconds"
  # A run of more than 2 seconds is a hang, one of more than 512 MiB a leak.
  "$fuzz" "$target" "$found" "$kept" -dict="$root/Tests/Fuzz/words.txt" -max_total_time="$seconds" -timeout=2 \
    -rss_limit_mb=512 -max_len=4096 -print_final_stats=1 -artifact_prefix="$found-"
  if [ "$keep" = 1 ]; then "$fuzz" "$target" -merge=1 -verbosity=0 "$kept" "$found"; fi
done
