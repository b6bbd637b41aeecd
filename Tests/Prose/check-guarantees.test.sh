#!/usr/bin/env bash
# Tests scripts/check-guarantees.py: a test that does not exist and a row without one are found, and good rows pass.
set -euo pipefail
cd "$(dirname "$0")/../.."
# shellcheck source=Tests/Prose/judge.sh
source Tests/Prose/judge.sh

# expect STATUS PATTERN NAME: checks the standard input.
expect() {
  cat > "$scratch/case.md"
  judge "$1" "$2" "$3" scripts/check-guarantees.py "$scratch/case.md"
}

expect 0 end "tests of a program and of a check, scripts and decisions" << 'TEXT'
| guarantee | test or decision |
| --- | --- |
| `free_ctx` is called once | `status.the_last_status_is_reset_when_it_is_read`, `scarce_values.number_to_json` |
| Other | `trim.child_trims_too`, [0019](decisions/0019-fork.md) |
TEXT
expect 1 "case.md:2: no test 'nothing_at_all' in trim.c" "a test that is not there, at its line" << 'TEXT'

| One | `trim.nothing_at_all` |
TEXT
expect 1 "no test 'peak_rise' in trim.c" "a function that is no test" << 'TEXT'
| One | `trim.peak_rise` |
TEXT
expect 1 'case.md:1: the row names neither' "a row without a test" << 'TEXT'
| One | it is so |
TEXT

judge 1 usage "no document" scripts/check-guarantees.py

if ((failed > 0)); then exit 1; fi
