#!/bin/sh
# Checks that the tests cover the specification: every clause of docs/specification-clauses.txt has exactly one test,
# and every section exactly one suite whose name begins with its number. No test names a clause that does not exist.
# Every reading of docs/specification-readings.md (S-n) and every row EA-1 to EA-32 has a test that names it.
# Usage: scripts/check-clauses.sh. Exit status: 0 if so, 1 if not, with one line for each number that is wrong.
set -eu
cd "$(dirname "$0")/.."
tests=Tests/PromisesTests
list=docs/specification-clauses.txt
readings=docs/specification-readings.md
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
failed=0

# names KIND FOLDER: the names of the tests (KIND Test) or suites (KIND Suite) in the Swift files of a folder.
names() {
  find "$2" -name '*.swift' -exec sed -n "s/.*@$1(\"\\([^\"]*\\)\".*/\\1/p" {} +
}

# compare NAME EXPECTED FOUND: two files of numbers, sorted; FOUND may hold duplicates, which are wrong.
compare() {
  sort -u "$3" >"$scratch/unique"
  comm -23 "$2" "$scratch/unique" | sed "s/^/missing: no $1 is named after /" >"$scratch/wrong"
  comm -13 "$2" "$scratch/unique" | sed "s/^/unknown: a $1 is named after a number that the list does not have: /" >>"$scratch/wrong"
  sort "$3" | uniq -d | sed "s/^/ambiguous: more than one $1 is named after /" >>"$scratch/wrong"
  [ -s "$scratch/wrong" ] || return 0
  cat "$scratch/wrong" >&2
  failed=1
}

number='s/^\([0-9][0-9.]*\) .*/\1/p'

sed -n 's/^clause  *\([0-9.]*\).*/\1/p' "$list" | sort >"$scratch/clauses"
sed -n 's/^section  *\([0-9.]*\).*/\1/p' "$list" | sort >"$scratch/sections"
names Test "$tests/Specification" | sed -n "$number" >"$scratch/tests"
names Suite "$tests/Specification" | sed -n "$number" >"$scratch/suites"
[ -s "$scratch/clauses" ] || { echo "$list: no clause found" >&2; exit 1; }
compare test "$scratch/clauses" "$scratch/tests"
compare suite "$scratch/sections" "$scratch/suites"

# The part of a name before its colon lists the readings and rows that the test covers: "S-5, EA-7: ...".
sed -n 's/^| \(S-[0-9]*\) .*/\1/p' "$readings" >"$scratch/readings"
[ -s "$scratch/readings" ] || { echo "$readings: no reading found" >&2; exit 1; }
awk 'BEGIN { for (i = 1; i <= 32; i++) print "EA-" i }' >>"$scratch/readings"
sort -o "$scratch/readings" "$scratch/readings"
names Test "$tests" | sed -n 's/^\([SE][^:]*\):.*/\1/p' | tr ',' '\n' | sed -n 's/^ *\(S-[0-9]*\|EA-[0-9]*\) *$/\1/p' |
  sort -u >"$scratch/read"
compare 'reading'"'"'s test' "$scratch/readings" "$scratch/read"

[ "$failed" = 0 ] || exit 1
echo "check-clauses.sh: $(wc -l <"$scratch/clauses") clauses, $(wc -l <"$scratch/sections") sections and" \
  "$(wc -l <"$scratch/readings") readings have their tests"
