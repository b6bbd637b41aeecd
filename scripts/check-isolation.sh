#!/bin/sh
# Checks the callbacks' types: in Swift 6 and Swift 5 mode each program in Tests/Isolation/compiles compiles without a
# warning, but one that says so warns in Swift 5 mode. In Swift 6 mode each in Tests/Isolation/refused fails: with the
# diagnostic that its first line expects, or with an error in each line that ends with "// refused" and in no other.
# Then runs check-chains.py.
# Usage: scripts/check-isolation.sh. Exit status: 0 if all do, 1 if not, with the output of the compiler.
set -eu
cd "$(dirname "$0")/.."
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

swift build --target PromisesFoundation >"$scratch/log" 2>&1 || { cat "$scratch/log" >&2; exit 1; }
build=$(swift build --show-bin-path)
modules=$build/Modules
module_map=$build/CPlatform.build/module.modulemap

# Data races are found after type checking: the programs are compiled, not only type-checked.
# Usage: compile MODE PROGRAM
compile() {
  timeout 120 swiftc -emit-sil -o /dev/null -swift-version "$1" -parse-as-library -I "$modules" \
    -Xcc "-fmodule-map-file=$module_map" "$2" >"$scratch/log" 2>&1
}

wrong=0
for program in Tests/Isolation/compiles/*.swift; do
  for mode in 6 5; do
    compile "$mode" "$program" && status=0 || status=$?
    if [ "$mode" = 5 ] && grep -q '^// Warns in Swift 5 mode' "$program"; then
      grep -q 'warning: ' "$scratch/log" && : >"$scratch/log" || echo "no warning" >"$scratch/log"
    fi
    if [ "$status" -ne 0 ] || [ -s "$scratch/log" ]; then
      echo "check-isolation.sh: $program must compile without a warning in Swift $mode mode:" >&2
      cat "$scratch/log" >&2
      wrong=$((wrong + 1))
      break
    fi
  done
done
for program in Tests/Isolation/refused/*.swift; do
  expected=$(sed -n '1s|^// expect: ||p' "$program")
  lines=$(sed -n '/\/\/ refused$/=' "$program")
  if compile 6 "$program"; then
    echo "check-isolation.sh: $program must not compile; expected: $expected" >&2
    wrong=$((wrong + 1))
  elif [ -n "$lines" ]; then
    sed -n 's|^[^ ]*\.swift:\([0-9]*\):[0-9]*: error: .*|\1|p' "$scratch/log" | sort -nu >"$scratch/found"
    if ! echo "$lines" | diff - "$scratch/found" >"$scratch/differences"; then
      echo "check-isolation.sh: $program: lines without the expected error (<), and with another (>):" >&2
      cat "$scratch/differences" >&2
      wrong=$((wrong + 1))
    fi
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
