#!/bin/sh
# Checks the callbacks' types: in Swift 6 mode each program in Tests/Isolation/compiles compiles without a warning, and
# each in Tests/Isolation/refused fails with the diagnostic that its first line expects. Then runs check-chains.py.
# Usage: scripts/check-isolation.sh. Exit status: 0 if all do, 1 if not, with the output of the compiler.
set -eu
cd "$(dirname "$0")/.."
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

swift build --target Promises >"$scratch/log" 2>&1 || { cat "$scratch/log" >&2; exit 1; }
build=$(swift build --show-bin-path)
modules=$build/Modules
module_map=$build/CPlatform.build/module.modulemap

# Data races are found after type checking: the programs are compiled, not only type-checked.
compile() {
  timeout 120 swiftc -emit-sil -o /dev/null -swift-version 6 -parse-as-library -I "$modules" \
    -Xcc "-fmodule-map-file=$module_map" "$1" >"$scratch/log" 2>&1
}

wrong=0
for program in Tests/Isolation/compiles/*.swift; do
  if ! compile "$program" || [ -s "$scratch/log" ]; then
    echo "check-isolation.sh: $program must compile without a warning:" >&2
    cat "$scratch/log" >&2
    wrong=$((wrong + 1))
  fi
done
for program in Tests/Isolation/refused/*.swift; do
  expected=$(sed -n '1s|^// expect: ||p' "$program")
  if compile "$program"; then
    echo "check-isolation.sh: $program must not compile; expected: $expected" >&2
    wrong=$((wrong + 1))
  elif [ -z "$expected" ] || ! grep -qF "error: $expected" "$scratch/log"; then
    echo "check-isolation.sh: $program: expected \"error: $expected\", found:" >&2
    cat "$scratch/log" >&2
    wrong=$((wrong + 1))
  fi
done
count=$(find Tests/Isolation -name '*.swift' | wc -l)
echo "check-isolation.sh: $((count - wrong)) of $count programs are accepted or refused as expected"
[ "$wrong" -eq 0 ]
scripts/check-chains.py "$modules" "$module_map"
