#!/bin/sh
# Lists the rows of docs/features.txt that no test names: a row's number, T58 or T-58, is in the name of a test or a
# suite in Tests/Promises*.
# Usage: scripts/check-features.sh. Exit status: 0 if every row has a test, 1 if not, with one line for each other row.
set -eu
cd "$(dirname "$0")/.."
list=docs/features.txt
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

sed -n 's/^\([A-Z][A-Z]*[0-9][0-9]*\)  *[^ ].*/\1/p' "$list" | sort >"$scratch/rows"
[ -s "$scratch/rows" ] || { echo "$list: no row found" >&2; exit 1; }
uniq -d "$scratch/rows" | sed "s|^|$list: listed twice: |" >"$scratch/wrong"

# The name may stand on a line of its own.
find Tests/Promises* -name '*.swift' -exec cat {} + | tr '\n' ' ' | grep -o '@\(Test\|Suite\)( *"[^"]*"' |
  grep -oE '\b(T|D|PG|RP|EA)-?[0-9]+\b' | tr -d - | sort -u >"$scratch/named"
comm -23 "$scratch/rows" "$scratch/named" >"$scratch/missing"
while read -r row; do
  grep "^$row " "$list" | sed 's/^/no test names /'
done <"$scratch/missing" >>"$scratch/wrong"

if [ -s "$scratch/wrong" ]; then
  sort -V "$scratch/wrong" >&2
  echo "check-features.sh: $(wc -l <"$scratch/missing") of $(wc -l <"$scratch/rows") rows have no test" >&2
  exit 1
fi
echo "check-features.sh: each of $(wc -l <"$scratch/rows") rows has a test"
