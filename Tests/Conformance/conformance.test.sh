#!/usr/bin/env bash
# Checks that promise-conformance passes the real library, and that it finds each bug of Tests/Conformance/faulty.c by
# the check of the broken rule.
#
#     Tests/Conformance/conformance.test.sh LIBRARY
set -euo pipefail
[[ $# -eq 1 ]] || { echo "usage: conformance.test.sh LIBRARY" >&2; exit 64; }
root=$(cd "$(dirname "$0")/../.." && pwd)
library=$(realpath "$1")
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

passed=0
failed=0
# expect NAME STATUS PATTERN COMMAND...: the command ends with that status, and prints a line that matches.
expect() {
  local name=$1 expected=$2 pattern=$3 status=0
  shift 3
  "$@" > "$scratch/log" 2>&1 || status=$?
  if [[ $status -eq $expected ]] && grep -qE -e "$pattern" "$scratch/log"; then
    passed=$((passed + 1))
  else
    failed=$((failed + 1))
    echo "conformance.test.sh: $name: expected status $expected and '$pattern', got status $status and:" >&2
    grep -v '^ok' "$scratch/log" | head -n 20 >&2 || :
  fi
}

# Each installed compiler builds the program without a warning.
for cc in clang gcc; do
  command -v "$cc" > /dev/null || continue
  expect "$cc builds it" 0 '^$' env CC="$cc" CFLAGS="-O1 -g -Werror" sh -c '"$@" && echo' - \
    "$root/scripts/build-conformance.sh" "$scratch/conformance"
done
check=$scratch/conformance/promise-conformance
limit=600 # seconds: bounds a check that hangs, not one that is slow
ln -s "$library" "$scratch/libpromise.so.1"
cc -std=c11 -Wall -Wextra -Werror -shared -fPIC -I"$root/include" "$root"/Tests/Conformance/faulty*.c \
  -Wl,--no-as-needed "$scratch/libpromise.so.1" -Wl,-rpath,"$scratch" -ldl -o "$scratch/faulty.so"

expect "the library conforms" 0 '^# [0-9]+ passed, 0 failed, 0 skipped$' "$check" --timeout $limit "$library"
expect "so does the wrapper without a fault" 0 '^# [0-9]+ passed, 0 failed, 0 skipped$' \
  env CHECK_QUICK=1 "$check" --timeout $limit "$scratch/faulty.so"
expect "results that cannot be written are an error" 74 '^promise-conformance: cannot write to the standard output$' \
  sh -c '"$@" > /dev/full' - "$check" --only core --timeout $limit "$library"
expect "so is a list" 74 '^promise-conformance: cannot write' sh -c '"$@" > /dev/full' - "$check" --list
expect "so is the version" 74 '^promise-conformance: cannot write' sh -c '"$@" >&-' - "$check" --version

# fault NAME RULE: with that fault the check of the rule fails.
fault() { expect "$1" 1 '^not ok 1 - ' env FAULT="$1" "$check" --timeout $limit --only "$2" "$scratch/faulty.so"; }

fault order-reversed "callback: callbacks run in the order in which they were attached"
fault context-freed-twice "callback: a context is freed exactly once"
fault context-never-freed "callback: a context is freed when the attaching call fails"
fault settled-later "core: when a settling call returns, every callback has run"
fault second-settlement-accepted "core: the first settlement wins"
fault many-end-early "core: many are settled as one by one"
fault refused-value-kept "value: a settling call takes over its value when it is refused too"
fault result-not-retained "value: a promise holds its value, and promise_result() gives a reference more"
fault stale-token-accepted "handles: a released token is PROMISE_ESTALE"
fault retain-does-nothing "core: the token is good until the last reference is given back"
fault block-too-early "core: the block runs after the promise is rejected"
fault deadlock-not-seen "core: waiting for a promise that only this thread could settle is PROMISE_EDEADLK"
fault adoption-fulfils "callback: a promise that adopts another one ends as that one does"
fault type-ignored "callback: promise_rescue() is for reasons of its type"
fault executor-ignored "executor: a handler runs when its job is run"
fault dropped-job-runs "executor: a dropped job frees the context and rejects"
fault circle-accepted "callback: promise_follow() refuses circles"
fault request-discards "cancel: a promise that is asked to cancel stays pending"
fault discard-ends-request "cancel: a request propagates also if a handler of it settles or releases its promise"
fault nobody-silenced "cancel: invalidating a token silences the handlers"
fault deadline-hidden "cancel: a deadline cancels the token"
fault sleep-too-short "timer: of two sleeps the shorter one ends first"
fault integers-rounded "json: JSON that was read is written unchanged"
fault elements-kept "collection: a collection takes over its elements"
fault inputs-reversed "combine: promise_all() has every value, in the order of the inputs"
fault released-loop-runs "loop: the last release of a loop drops queued jobs, and later ones"
fault freed-queue-goes-on "queue: a freed queue gives no event"
fault obsolete-call-is-silent "queue: a CALL that is not needed any more is an OBSOLETE"
fault answered-promise-kept "queue: the taker settles the promise of a CALL"
fault watch-without-interest "queue: a watch is interest, and a tap is none"
fault demand-ignored "stream: events wait for demand, and the end for them"
fault sources-reversed "operator: promise_publisher_merge() and _combine_latest() have the events of all, and end"
for wrong in groups-too-small zip-combines; do
  fault "$wrong" "operator: promise_publisher_buffer() and _zip() have each value once"
done
fault reduce-scans "operator: promise_publisher_reduce() publishes a fold when its source finishes"
fault strategy-ignored "operator: promise_publisher_flat_map() publishes streams by its strategy"
fault retry-gives-up "operator: promise_publisher_retry() makes another stream of an error"
fault replay-forgets "operator: promise_publisher_replay() has the latest events for new subscribers"
for wrong in debounce-passes throttle-ignores-flags timeout-drops; do
  fault "$wrong" "timing: the end of a stream publishes the events that wait for their time"
done
fault cancelled-twice "stream: a subscriber that is cancelled gets no more events, and is cancelled once"
fault hooks-never-called "observe: an unhandled rejection is reported when the promise is destroyed"
fault handled-rejection-reported "observe: a rejection that somebody takes is not reported"
fault dump-is-empty "observe: a dump has every pending promise"
fault trace-goes-on "observe: a trace has the events made, settled and run"
fault publisher-not-retained "stream: publishers and subscribers live until their last reference"
fault subscriber-not-retained "stream: publishers and subscribers live until their last reference"
fault lengths-ignored "error: promise_value_error_sized() takes texts by their lengths"
for wrong in void-not-written bool-is-true integer-cut-off unsigned-is-signed double-rounded pointer-lost; do
  fault "$wrong" "scalar: a call makes the value of an initializer"
done
fault held-promise-not-retained "scalar: promise_value_promise() adds a reference"
fault version-has-no-numbers "version: promise_version() has three numbers"
fault statistics-stand-still "runtime: promise_statistics() counts the live objects"
fault trim-returns-nothing "runtime: promise_trim() returns free memory"
fault threads-start-unseen "runtime: threads with callbacks call the hooks"
fault timers-start-unseen "runtime: threads that fire timers call the hooks"
fault priorities-ignored "executor: jobs of a higher priority begin first"
fault overwritten-miscounted "observe: a written trace has the number of the events that were overwritten"
fault one-name-two-types "type: one name is one type"
fault threads-uncounted "runtime: promise_statistics() counts the running threads"
fault trim-does-nothing "runtime: promise_trim() returns free memory"
fault everyone-is-main "loop: the main loop runs the jobs of the main executor"
fault dump-is-not-written "observe: a dump is written to a descriptor"
fault graph-is-json "observe: a trace is written as a graph for dot"
for wrong in interrupts-end-waits interrupts-end-all; do
  fault "$wrong" "core: a signal handler ends no other wait"
done
fault release-too-many-accepted "core: a release too many of a pending promise is refused"
fault skipped-events-kept "queue: a skipped event of any kind loses its promise and its value"
fault length-unlimited "json: a text may have a greatest length"
fault error-without-place "json: the error of an invalid text has its place"
fault error-without-path "json: the error of a value that cannot be written has its path"
fault clock-is-the-calendar "timer: promise_now() is the time of the monotonic clock"
for wrong in delay-elsewhere time-limit-elsewhere; do
  fault "$wrong" "timer: a delay and a time limit end on their executor"
done
fault delay-asks-nobody "timer: a request to cancel a delay propagates"
fault deadline-elsewhere "cancel: a deadline requests cancellation on its executor"
fault any-asks-nobody "combine: PROMISE_COMBINE_CANCEL_OTHERS of promise_any()"
fault combination-kept "combine: a combination that is released or settled has no interest"
fault subscriber-elsewhere "stream: a subscriber's callbacks run on its executor"
fault room-at-once "stream: promise_publisher_ready() is fulfilled with room"
fault link-always-ends "operator: promise_publisher_forward() without PROMISE_FORWARD_END"
fault stream-keeps-interest "operator: the stream of a promise is interest in it"
for rule in "interval of promise_publisher_debounce()" "interval of promise_publisher_throttle()" \
  "time limit of promise_publisher_timeout()" "tick of promise_publisher_every()"; do
  fault intervals-halved "timing: no $rule is "
done
fault timers-elsewhere "timing: the executor of a timer publishes its event"
fault timers-elsewhere "timing: the executor of a timer fails the stream"

# hangs NAME RULE: with that fault the check of the rule hangs.
hangs() {
  expect "$1" 1 '^# not done after 1 seconds' env FAULT="$1" "$check" --timeout 1 --only "$2" "$scratch/faulty.so"
}

hangs interrupts-unnoticed "core: a signal handler ends promise_wait_interruptible()"
hangs take-goes-on "core: a signal handler ends promise_queue_take()"
hangs time-limit-asks-nobody "timer: a time limit that is over asks its promise to cancel"

# A check that is killed is reported with its position.
expect crash 1 '^# died of signal 11 \(Segmentation fault\) at value\.c:[0-9]+$' env FAULT=crash "$check" \
  --timeout $limit --only value "$scratch/faulty.so"
expect exit 1 '^# ended the process with status 0 at status\.c:[0-9]+$' env FAULT=exit "$check" \
  --timeout $limit --only status "$scratch/faulty.so"
expect hang 1 '^# not done after 10 seconds: at wait\.c:[0-9]+$' env FAULT=limit-ignored "$check" \
  --timeout 10 --only "ends when its time is over" "$scratch/faulty.so"

# A missing function. A copy of the library has it under another name, so the loader does not find the original one.
LC_ALL=C sed 's/promise_wait\x00/promise_wxyz\x00/' "$library" > "$scratch/lacking.so"
expect "a function is not there" 1 '^not ok [0-9]+ - exports: promise_wait$' \
  "$check" --timeout $limit "$scratch/lacking.so"
expect "what needs it fails by its name" 1 '^# promise_wait is not there: it is of version 1, the library of version 1$' \
  "$check" --timeout $limit --only "core: waiting for a settled promise" "$scratch/lacking.so"
# A library of an older version conforms.
sed 's/^    promise_wait;//; s/^};/};\nPROMISE_1.1 { global: promise_wait; } PROMISE_1.0;/' \
  "$root/Sources/CPromiseABI/exports.map" > "$scratch/newer.map"
MAP=$scratch/newer.map "$root/scripts/build-conformance.sh" "$scratch/newer"
newer=$scratch/newer/promise-conformance
expect "a function of a newer version" 0 \
  '^ok [0-9]+ - exports: promise_wait # SKIP promise_wait is not there: it is of version 2, the library of version 1$' \
  "$newer" --timeout $limit "$scratch/lacking.so"
expect "what needs it is skipped" 0 '^ok [0-9]+ - core: waiting for a settled promise.* # SKIP promise_wait' \
  "$newer" --timeout $limit "$scratch/lacking.so"

# A file that is not a library.
echo text > "$scratch/text.so"
expect "no library" 1 '^Bail out! it cannot be loaded: .*text\.so' "$check" "$scratch/text.so"
expect "no file" 1 '^Bail out! it cannot be loaded: .*nowhere\.so' "$check" "$scratch/nowhere.so"
echo 'int other; int other = 1;' > "$scratch/other.c"
cc -shared -fPIC "$scratch/other.c" -o "$scratch/other.so"
expect "another library" 1 '^not ok [0-9]+ - exports: promise_new$' "$check" "$scratch/other.so"

# The command line.
expect "a list" 0 '^core: the first settlement wins' "$check" --list
expect "one check alone" 0 '^1\.\.1$' "$check" --only "core: the first settlement wins" "$library"
expect "help" 0 '^usage:' "$check" --help
expect "the version" 0 'version [0-9]+ of the ABI' "$check" --version
expect "nothing" 64 'expected the path of a shared object' "$check"
expect "two libraries" 64 'one library at a time' "$check" a.so b.so
expect "an unknown option" 64 'no such option: --bogus' "$check" --bogus
expect "a wrong time" 64 'expected a number of seconds' "$check" --timeout soon "$library"
expect "no time" 64 'not nothing' "$check" --timeout
expect "an unknown check" 64 'no check is called like that: xyzzy' "$check" --only xyzzy "$library"

echo "$passed passed, $failed failed"
((failed == 0))
