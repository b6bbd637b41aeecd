#!/usr/bin/env bash
# Mutation testing: puts small faults into the code, all in one build, and runs the tests that reach each
# (docs/mutation.md).
#
# Without a variable: every row of Tests/Mutations/*.txt. The others add generated mutations:
#
# SINCE      those on lines that changed since this commit; and the rows of files that changed alone
# SAMPLE     as many, drawn by SEED (1); of each FOLDER if there are some
# FOLDER     those of these folders: Sources/Promises/Engine
# EXCEPT     none of these folders
# KIND       those of this kind alone: negate, call, bound, ...
# ONLY       those whose names contain one of these, rows and generated ones
# TABLE      rows of the tables whose names contain one of these alone: features-daisy tasks
# TESTS      tests whose names contain this alone
# JOBS       tests at a time: 2
# OPTIONS    more options of the tool: --no-rows --named --list --record --product NAME --orderings --budget SECONDS
# --longest SECONDS
set -euo pipefail
cd "$(dirname "$0")/.."
swift build --package-path Tests/Mutations --product mutate >&2

options=(--jobs "${JOBS:-2}")
add() { if [[ -n $2 ]]; then options+=("$1" "$2"); fi; }
add --since "${SINCE:-}"
add --sample "${SAMPLE:-}"
add --seed "${SEED:-}"
for folder in ${FOLDER:-}; do add --folder "$folder"; done
for folder in ${EXCEPT:-}; do add --except "$folder"; done
add --kind "${KIND:-}"
for table in ${TABLE:-}; do add --rows-of "$table"; done
for name in ${ONLY:-}; do add --only "$name"; done
add --tests "${TESTS:-}"
read -ra more <<< "${OPTIONS:-}"
exec Tests/Mutations/.build/debug/mutate "${options[@]}" "${more[@]}"
