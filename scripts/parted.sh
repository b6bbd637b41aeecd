# shellcheck shell=bash
# Divides a list of checks between processes. Sourced, with `out`, `passed` and `failed` set.
#
# JOBS: the number of processes; default: that of the processors.

# parted FUNCTION ARGUMENT...: calls the function with each argument, in JOBS processes, each with a folder `out` of its
# own below the present one. Shows the lines of one process after those of the other, adds up `passed` and `failed`, and
# collects the failures in `again`.
parted() {
  local jobs=${JOBS:-$(nproc)} part good bad
  for ((part = 0; part < jobs; part++)); do
    mkdir -p "$out/part$part"
    part_of "$part" "$jobs" "$@" > "$out/part$part/lines" 2>&1 &
  done
  wait
  for ((part = 0; part < jobs; part++)); do
    # A process that ended early has no results.
    good=0
    bad=1
    read -r good bad < "$out/part$part/results" || :
    passed=$((passed + good))
    failed=$((failed + bad))
    cat "$out/part$part/lines"
    cat "$out/part$part/again" >> "$out/again"
    rm -r "$out/part$part"
  done
}

# part_of PART JOBS FUNCTION ARGUMENT...: calls the function with the arguments of one process.
part_of() {
  local out=$out/part$1 passed=0 failed=0 function=$3 index
  : > "$out/again"
  for ((index = 4 + $1; index <= $#; index += $2)); do "$function" "${!index}"; done
  echo "$passed $failed" > "$out/results"
}
