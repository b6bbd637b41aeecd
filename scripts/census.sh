#!/usr/bin/env bash
# Takes a census of each Swift suite: runs it alone, in a process of its own, and reports the objects, threads and
# descriptors that are left at the end. The counts are those of the process, so suites that run together have none.
#
#     scripts/census.sh [SUITE...]
#
# SUITE    suites, by a part of their names: `PromisesTests`, `Reloading`; default: all but the interleavings
# BUNDLE   the program of the tests: that of .build/debug, built first
#
# Tests/Census/allowed.txt lists the counts that a suite may leave, with reasons. The exit status is 1 if a suite leaves
# more, or fails.
set -uo pipefail
cd "$(dirname "$0")/.." || exit 2
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
export PROMISE_ACCEPT_UNSAFE_FILES=1

if [[ -z ${BUNDLE:-} ]]; then
  swift build --build-tests >&2 || exit 2
  BUNDLE=$(echo "$PWD"/.build/debug/*.xctest)
fi
"${CC:-cc}" -std=c11 -O1 -Wall -Wextra -Wpedantic -Werror -shared -fPIC -Iinclude Tests/Census/census.c \
  -o "$scratch/census.so" || exit 2

# The suites: all but the last part of a test's name.
mapfile -t suites < <("$BUNDLE" --testing-library swift-testing --list-tests |
  sed -n 's#/[^/]*(.*$##p' | sort -u | grep -v '^EngineInterleavings')
allowed=Tests/Census/allowed.txt
failed=0
taken=0
for suite in "${suites[@]}"; do
  wanted=$(($# == 0))
  for part in "$@"; do if [[ $suite == *"$part"* ]]; then wanted=1; fi; done
  ((wanted)) || continue
  rm -f "$scratch/counts"
  # The variables are set behind timeout(1), which must not be counted.
  timeout --kill-after=10 1800 env CENSUS="$scratch/counts" LD_PRELOAD="$scratch/census.so" "$BUNDLE" \
    --testing-library swift-testing --filter "^${suite//./\\.}(/|\$)" > "$scratch/log" 2>&1
  status=$?
  taken=$((taken + 1))
  if ((status != 0)) || [[ ! -s $scratch/counts ]]; then
    echo "FAIL  $suite: status $status"
    tail -n 5 "$scratch/log"
    failed=$((failed + 1))
    continue
  fi
  # Run loops and queues of Foundation and Dispatch keep descriptors of these kinds, and Foundation a pair of sockets.
  left=$(awk -v suite="$suite" '
    NR == FNR { if ($1 == suite) may[$2] = $3; next }
    /^descriptor:anon_inode:\[(eventpoll|eventfd|timerfd)\]/ { next }
    { kind = $1; sub(/:\[[0-9]+\]$/, "", kind); count[kind] += $2 }
    END {
      may["descriptor:socket"] += 2
      for (kind in count) if (count[kind] > may[kind]) printf "%s %d (%d allowed)\n", kind, count[kind], may[kind]
    }' "$allowed" "$scratch/counts" | sort)
  if [[ -n $left ]]; then
    echo "FAIL  $suite left: $(paste -sd ',' <<< "$left")"
    failed=$((failed + 1))
  else
    echo "ok    $suite"
  fi
done
echo "census.sh: $taken suites, $failed failed"
((failed == 0 && taken > 0))
