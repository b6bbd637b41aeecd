#!/usr/bin/env bash
# Looks for tests that fail by chance: runs the Swift tests and the C programs TIMES times while every processor is kept
# busy, and counts the failures of each test.
#
#     scripts/repeat.sh [TEST...]
#
# TEST      Swift suites or tests and C programs to run, by a part of their names; default: all
# TIMES     rounds: 100
# LIBRARY   the library for the C programs: .build/release/libpromise.so
# OUT       folder for the logs of failed runs: .build-repeat
#
# The exit status is 1 if a test failed. Each failure's log stays in OUT.
set -uo pipefail
cd "$(dirname "$0")/.." || exit 2
root=$PWD
times=${TIMES:-100}
OUT=${OUT:-$root/.build-repeat}
rm -rf "$OUT/logs"
mkdir -p "$OUT/logs"

swift build --build-tests >&2 || exit 2
bundle=$(echo "$root"/.build/debug/*.xctest)
mapfile -t programs < <(OUT=$OUT/programs JOBS=$(nproc) scripts/build-abi-programs.sh)
((${#programs[@]} > 0)) || { echo "repeat.sh: no program of Tests/ABI was built" >&2; exit 2; }
export LD_LIBRARY_PATH=$OUT/programs/prefix/lib CHECK_COPY=$OUT/programs/copy.so CHECK_OBJECTS=$OUT/programs
export PROMISE_ACCEPT_UNSAFE_FILES=1

# is_wanted NAME: whether one of the arguments is a part of the name; true without arguments.
wanted=("$@")
is_wanted() {
  ((${#wanted[@]} > 0)) || return 0
  local part
  for part in "${wanted[@]}"; do if [[ $1 == *"$part"* ]]; then return 0; fi; done
  return 1
}

filters=()
for part in "${wanted[@]}"; do filters+=(--filter "$part"); done
suites=0
while read -r name; do
  if is_wanted "$name"; then suites=$((suites + 1)); fi
done < <("$bundle" --testing-library swift-testing --list-tests)

# The load: one endless loop for each processor.
loads=()
for ((i = 0; i < $(nproc); i++)); do
  (while :; do :; done) &
  loads+=($!)
done
trap 'kill "${loads[@]}" 2> /dev/null' EXIT

# Prints the names of the Swift tests in a log that failed, or did not end.
failed_tests() {
  LC_ALL=C awk '
    function name(line) {
      sub(/^[^ ]+ Test (case passing [^ ]+ arguments? .* to )?/, "", line)
      sub(/ (started|passed|failed)( after .*|\.)$/, "", line)
      sub(/ with [0-9]+ test cases?( passed| failed)?$/, "", line)
      return line
    }
    /^[^ -~]+ Test run with / { ended = 1; next }
    /^[^ -~]+ Test run / { next }
    /^[^ -~]+ Test .* started\.$/ { open[name($0)] = 1 }
    /^[^ -~]+ Test .* passed after / { delete open[name($0)] }
    /^[^ -~]+ Test .* failed after / { delete open[name($0)]; print name($0) }
    END { if (!ended) for (test in open) print test " (did not end)" }
  ' "$1"
}

# note ROUND KIND LOG NAME...: counts failures, and keeps the log.
note() {
  local round=$1 kind=$2 log=$3 name
  shift 3
  cp "$log" "$OUT/logs/$kind.$round"
  for name in "$@"; do
    echo "$name" >> "$OUT/logs/failures"
    echo "round $round: FAILED $name ($OUT/logs/$kind.$round)"
  done
}

: > "$OUT/logs/failures"
log=$OUT/log
for ((round = 1; round <= times; round++)); do
  if ((suites > 0)); then
    timeout --kill-after=10 3600 "$bundle" --testing-library swift-testing "${filters[@]}" > "$log" 2>&1
    status=$?
    mapfile -t names < <(failed_tests "$log")
    if ((status != 0)); then note "$round" swift "$log" "${names[@]:-the Swift tests (status $status)}"; fi
  fi
  for program in "${programs[@]}"; do
    is_wanted "$program" || continue
    timeout --kill-after=10 3600 "$OUT/programs/$program" > "$log" 2>&1
    status=$?
    mapfile -t names < <(sed -n "s/^FAILED /$program./p" "$log")
    if ((status != 0)); then note "$round" "$program" "$log" "${names[@]:-$program (status $status)}"; fi
  done
  echo "round $round of $times: $(wc -l < "$OUT/logs/failures") failures"
done

if [[ -s $OUT/logs/failures ]]; then
  printf '\nFailures in %d rounds:\n' "$times"
  sort "$OUT/logs/failures" | uniq -c | sort -rn
  exit 1
fi
echo "repeat.sh: no test failed in $times rounds"
