#!/usr/bin/env bash
# Runs commands at once. Shows the output of the last one as it comes, and of the others when all have ended. If a
# command failed, the last lines are its own: the output of the others that succeeded is not shown.
#
#     scripts/beside.sh COMMAND...
#
# Exit status: 0 if all succeed; that of a command that failed.
set -uo pipefail
[[ $# -ge 2 ]] || { echo "usage: beside.sh COMMAND COMMAND..." >&2; exit 64; }
logs=$(mktemp -d)
trap 'rm -rf "$logs"' EXIT

beside=()
for ((number = 1; number < $#; number++)); do
  sh -c "${!number}" > "$logs/$number" 2>&1 &
  beside+=($!)
done
trap 'kill "${beside[@]}"; exit 130' INT TERM HUP
status=0
sh -c "${!#}" || status=$?
failed=()
for number in "${!beside[@]}"; do
  wait "${beside[number]}" || { status=$?; failed+=("$logs/$((number + 1))"); }
done
if ((status == 0)); then cat "$logs"/*; elif ((${#failed[@]} > 0)); then cat "${failed[@]}"; fi
exit "$status"
