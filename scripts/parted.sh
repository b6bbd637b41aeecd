# shellcheck shell=bash
# Divides a list of checks between processes. Sourced, with `out`, `passed` and `failed` set.
#
# JOBS: the number of processes; default: that of the processors.

# parted FUNCTION ARGUMENT...: calls the function with each argument, in JOBS processes, each with a folder `out` of its
# own below the present one. Shows the lines of one process after those of the other, adds up `passed` and `failed`, and
# collects the failures in `again`.
parted() {
  local jobs=${JOBS:-$(nproc)} part good bad
  rm -rf "$out/taken"
  mkdir "$out/taken"
  for ((part = 0; part < jobs; part++)); do
    mkdir -p "$out/part$part"
    part_of "$part" "$@" > "$out/part$part/lines" 2>&1 &
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
  if (($(find "$out/taken" -mindepth 1 | wc -l) != $# - 1)); then
    echo "FAIL  $1: not every argument was taken"
    failed=$((failed + 1))
  fi
}

# part_of PART FUNCTION ARGUMENT...: calls the function with the arguments that no other process has taken. Taking one
# makes a folder, which only one process can.
part_of() {
  local taken=$out/taken out=$out/part$1 passed=0 failed=0 function=$2 index
  : > "$out/again"
  for ((index = 3; index <= $#; index++)); do
    if mkdir "$taken/$index" 2> "$out/log"; then "$function" "${!index}"; fi
  done
  echo "$passed $failed" > "$out/results"
}
