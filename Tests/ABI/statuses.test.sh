#!/usr/bin/env bash
# Checks scripts/abi-statuses.py: a small header, and statuses that its functions gave or did not give.
set -euo pipefail
root=$(cd "$(dirname "$0")/../.." && pwd)
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

passed=0
failed=0

mkdir -p "$scratch/include/promise" "$scratch/seen"
cp "$root"/include/promise/{base,status}.h "$scratch/include/promise"
sed -i '/^PROMISE_API/d' "$scratch/include/promise/status.h"
cat > "$scratch/include/promise.h" << 'END'
/*
 *   ANSWERS are no statuses:
 *     number   promise_number
 *
 */
#include "promise/status.h"
#include "promise/tasks.h"
END
cat > "$scratch/include/promise/tasks.h" << 'END'
/* Each function of this section returns PROMISE_ESTALE.
 * Returns PROMISE_ESTALE. */
typedef int32_t promise_task_t;

/* Starts a task, unlike PROMISE_EBUSY.
 * Returns PROMISE_OK; PROMISE_EINVAL. */
PROMISE_API promise_status_t promise_start(promise_task_t task);

/* Stops a task, otherwise as promise_start(). */
PROMISE_API promise_status_t promise_stop(promise_task_t task);

/* Retains or releases a task.
 * Returns as promise_start(); promise_retain() also PROMISE_ENOMEM. The error that rejects it has the code
 * PROMISE_ECLOSED. */
PROMISE_API promise_status_t promise_retain(promise_task_t task);
PROMISE_API promise_status_t promise_release(promise_task_t task);

/* Returns a number, PROMISE_EINVAL if it happens to be. */
PROMISE_API int64_t promise_number(promise_task_t task);
END

# judge NAME STATUS TEXT ROW...: the verdict where ROW, "FUNCTION STATUS...", are the statuses given, as positive
# numbers.
judge() {
  local name=$1 expected=$2 text=$3 status=0 output
  shift 3
  output=$(
    printf '%s\n' "$@" | python3 -c '
import sys
given = {row.split()[0]: set(map(int, row.split()[1:])) for row in sys.stdin}
names = ["number", "release", "retain", "start", "stop"]
sys.stdout.buffer.write(b"".join(bytes(place in given.get(name, ()) for place in range(32)) for name in names))
' > "$scratch/seen/statuses.seen"
    "$root/scripts/abi-statuses.py" check "$scratch/include" "$scratch/seen" 2>&1
  ) || status=$?
  if [[ $status -eq $expected && $output == "$text" ]]; then
    passed=$((passed + 1))
  else
    failed=$((failed + 1))
    printf 'statuses.test.sh: %s: expected status %s and:\n%s\ngot status %s and:\n%s\n' \
      "$name" "$expected" "$text" "$status" "$output" >&2
  fi
}

blind="promise_stop: its comment promises no status"
judge "a section promises nothing, nor does a summary" 1 "$blind
promise_stop: gave PROMISE_EINVAL, which its comment does not promise
7 statuses promised, 2 wrong" "number 1" "release 0 1" "retain 0 1 7" "start 0 1" "stop 0 1"

sed -i 's/Stops a task, otherwise/Stops a task.\n * Returns/' "$scratch/include/promise/tasks.h"
all=("number 1" "release 0 1" "retain 0 1 7" "start 0 1")
judge "all of them were seen" 0 "9 statuses promised, 0 wrong" "${all[@]}" "stop 0 1"
judge "one was not seen" 1 "promise_stop: never gave PROMISE_OK
9 statuses promised, 1 wrong" "${all[@]}" "stop 1"
judge "one was not promised" 1 "promise_stop: gave PROMISE_ENOMEM, which its comment does not promise
9 statuses promised, 1 wrong" "${all[@]}" "stop 0 1 7"
judge "one was never called" 1 "promise_stop: never called
promise_stop: never gave PROMISE_OK
promise_stop: never gave PROMISE_EINVAL
9 statuses promised, 3 wrong" "${all[@]}"

echo "$passed passed, $failed failed"
((failed == 0))
