#!/bin/sh
# Lists the rows of docs/features.txt that no test names: a row's number, T58 or T-58, is in the name of a test or a
# suite in Tests/Promises*. A row that is not offered, -T109, is named in docs/vocabulary.md instead, and by no test.
# Each row has a mutation, `rows: T58` in Tests/Mutations/*.txt, or a program that the compiler accepts or refuses,
# `// rows: T83` in Tests/Isolation. docs/vocabulary.md has each public name of the API, so that a row's name is found.
# Usage: scripts/check-features.sh. Exit status: 0 if every row has a test, 1 if not, with one line for each other row.
set -eu
cd "$(dirname "$0")/.."
list=docs/features.txt
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

reasons=docs/vocabulary.md
rows() { sed -n "s/^$1\([A-Z][A-Z]*[0-9][0-9]*\)  *[^ ].*/\1/p" "$list" | sort; }
rows '' >"$scratch/rows"
rows - >"$scratch/left-out"
[ -s "$scratch/rows" ] || { echo "$list: no row found" >&2; exit 1; }
# The originals offer 332 things.
numbers=$(sort -u "$scratch/rows" "$scratch/left-out" | wc -l)
[ "$numbers" -eq 332 ] || { echo "$list: $numbers different rows; expected 332" >&2; exit 1; }
sort "$scratch/rows" "$scratch/left-out" | uniq -d | sed "s|^|$list: listed twice: |" >"$scratch/wrong"

# The name of a test may be on the line after @Test.
find Tests/Promises* -name '*.swift' -exec cat {} + | tr '\n' ' ' | grep -o '@\(Test\|Suite\)( *"[^"]*"' |
  grep -oE '\b(T|D|PG|RP|EA)-?[0-9]+\b' | tr -d - | sort -u >"$scratch/named"
comm -23 "$scratch/rows" "$scratch/named" >"$scratch/missing"

cat Tests/Mutations/*.txt Tests/Isolation/*/*.swift | sed -nE 's|^(// )?rows: *||p' | grep -oE '[A-Z]+[0-9]+' | sort -u >"$scratch/mutated"
comm -23 "$scratch/rows" "$scratch/mutated" >"$scratch/unmutated"
# Public names of the API, but for those that a protocol of the standard library demands.
required='description|debugDescription|errorDescription|errorUserInfo|hash|encode|rawValue|identity|Element|Iterator|makeAsyncIterator'
find Sources/Promises Sources/PromisesFoundation -name '*.swift' ! -path '*/Engine/*' ! -name '*+Renamed.swift' -exec cat {} + |
  grep -oE '^ *(@[a-z]+(\([^)]*\))? )*(public|open) ([a-z]+(\([a-z]+\))? )*(func|var|let|class|struct|enum|protocol|typealias) `?\w+' |
  sed 's/.*[ `]//' | grep -vxE "$required" | sort -u >"$scratch/names"
grep -oE '\w+' "$reasons" | sort -u >"$scratch/known"
comm -23 "$scratch/names" "$scratch/known" | sed "s|^|$reasons: no row has the public name |" >>"$scratch/wrong"
{
  while read -r row; do
    grep "^$row " "$list" | sed 's/^/no test names /'
  done <"$scratch/missing"
  comm -12 "$scratch/left-out" "$scratch/named" | sed "s|^|$list: not offered, but a test names it: |"
  while read -r row; do
    grep -qw "$row" "$reasons" || echo "$reasons: no reason for $row, which is not offered"
  done <"$scratch/left-out"
  sed 's|$| has no mutation: add one that its test notices to Tests/Mutations (docs/mutation.md)|' "$scratch/unmutated"
} >>"$scratch/wrong"

if [ -s "$scratch/wrong" ]; then
  sort -V "$scratch/wrong" >&2
  echo "check-features.sh: $(wc -l <"$scratch/wrong") of $(sort "$scratch/rows" "$scratch/left-out" | wc -l) rows are wrong" >&2
  exit 1
fi
echo "check-features.sh: each of $(wc -l <"$scratch/rows") rows has a test, and a mutation or a program of Tests/Isolation;" \
  "$(wc -l <"$scratch/left-out") are not offered"
