#!/usr/bin/env bash
# Mutation testing: puts small faults into the code, all in one build, and runs the tests that reach each
# (docs/mutation.md).
#
# Without a variable: every row of Tests/Mutations/*.txt. Variables add generated mutations, and select among them all:
#
# SINCE      generated ones on lines that changed since this commit, and only the rows of files that changed
# SAMPLE     this number of generated ones, drawn by SEED (1); from each FOLDER if there are some
# FOLDER     generated ones of these folders: Sources/Promises/Engine
# EXCEPT     no generated ones of these folders
# KIND       only generated ones of this kind: negate, call, bound, ...
# ONLY       only rows and generated ones whose names contain one of these
# TABLE      only rows of the tables whose names contain one of these: features-daisy tasks
# TESTS      only tests whose names contain this
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
status=0
Tests/Mutations/.build/debug/mutate "${options[@]}" "${more[@]}" || status=$?
# The rows of headers, which have no switches.
scripts/mutate-headers.py "${options[@]}" "${more[@]}" || status=1
exit $status
