#!/usr/bin/env bash
# Tests scripts/check-targets.py: a row, a target or a name of the list that is missing or too many is found.
set -euo pipefail
cd "$(dirname "$0")/../.."
# shellcheck source=Tests/Prose/judge.sh
source Tests/Prose/judge.sh

# expect STATUS PATTERN NAME LIST ROWS: checks a document with the list and the rows against a Makefile.
# shellcheck disable=SC2016 # the quotes of Markdown
expect() {
  local row
  printf '.PHONY: all test lint \\\n  soak setup-test clean\nBESIDE = lint\ntest: setup-test\nlint:\n' > "$scratch/Makefile"
  {
    printf '`make test` runs all of this but %s; each is alone.\n\n| target | subject |\n| --- | --- |\n' "$4"
    for row in $5; do printf '| `%s` | x |\n' "$row"; done
  } > "$scratch/testing.md"
  judge "$1" "$2" "$3" scripts/check-targets.py "$scratch/Makefile" "$scratch/testing.md"
}

# shellcheck disable=SC2016 # the quotes of Markdown
{
  expect 0 end "the same targets" '`soak`' "lint soak"
  expect 1 'no row for the target soak' "a missing row" '`soak`' "lint"
  expect 1 'a row for stress, which is not a target' "a row too many" '`soak`' "lint soak stress"
  expect 1 'soak is not in the list' "a name that the list lacks" '`bench`' "lint soak"
  expect 1 'lint is in that list, but' "a name too many in the list" '`soak`, `lint`' "lint soak"
  sed -i 's/runs all of this but/leaves out/' "$scratch/testing.md"
  judge 1 'no sentence' "no list" scripts/check-targets.py "$scratch/Makefile" "$scratch/testing.md"
}

[[ $failed -eq 0 ]] || { echo "check-targets.test.sh: $failed failed" >&2; exit 1; }
