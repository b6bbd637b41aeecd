#!/usr/bin/env bash
# Runs the conformance program and the C programs of Tests/ABI against libpromise for arm64, under qemu-user.
#
#     scripts/test-arm64.sh [PROGRAM...]
#
# LIBRARY     the library: .build-aarch64/libpromise.so
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
sysroot=/usr/aarch64-linux-gnu
export LIBRARY=${LIBRARY:-$root/.build-aarch64/libpromise.so}
export CC=aarch64-linux-gnu-gcc QEMU_LD_PREFIX=$sysroot
[[ -f $LIBRARY ]] || { echo "test-arm64.sh: no $LIBRARY (build it first: make libpromise ARCH=aarch64)" >&2; exit 2; }
emulator=(qemu-aarch64 -L "$sysroot")

# Tests that the emulator cannot run, with the reason; each is printed as skipped.
starts="qemu 7.2 ends with 127 where a child of several threads starts one (qemu_plugin_vcpu_init_hook)"
counts="the emulator's /proc/self/stat has no number of threads"
skipped=(
  "pool_and_timers_start_afresh: $starts"
  "queued_jobs_run_in_the_parent_only: $starts"
  "jobs_may_fork: $starts"
  "child_is_consistent_under_any_traffic: $starts"
  "a_child_waits_for_work_that_changes_threads: $starts"
  "wait_ends_with_the_last_job_that_could_settle: $starts"
  "waits_for_threads_of_the_parent_are_refused: $counts"
  "loop_of_another_thread_may_be_run: $counts"
  "a_queue_keeps_its_events_and_wakes_one_process_only: $counts"
  "a_job_that_forked_cannot_wait_for_itself: $counts"
  "refused_job_is_not_waited_for: $counts"
)

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
if (($# == 0)); then
  "$root/scripts/check-abi" "$LIBRARY"
  "$root/scripts/build-conformance.sh" "$scratch/conformance"
  CHECK_QUICK=1 "${emulator[@]}" "$scratch/conformance/promise-conformance" --timeout 300 "$LIBRARY" | grep -v '^ok '
  . "$root/scripts/abi-programs.sh"
  mapfile -t programs < <(abi_programs)
  set -- "${programs[@]}"
fi
for test in "${skipped[@]}"; do echo "skipped: $test"; done
CHECK_SKIP=$(printf '%s\n' "${skipped[@]}" | cut -d: -f1 | xargs) CC_LIST=$CC RUNNER=${emulator[*]} VALGRIND=0 \
  CHECK_QUICK=1 exec "$root/scripts/test-abi.sh" "$@"
