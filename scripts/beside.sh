#!/bin/sh
# Runs two commands at once. Shows the output of the first when both have ended, unless the second alone failed: then
# the last lines are those of the failure.
#
#     scripts/beside.sh FIRST SECOND
#
# Exit status: 0 if both succeed; that of a command that failed.
set -eu
[ $# -eq 2 ] || { echo "usage: beside.sh FIRST SECOND" >&2; exit 64; }
log=$(mktemp)
trap 'rm -f "$log"' EXIT

sh -c "$1" >"$log" 2>&1 &
first=$!
trap 'kill "$first"; exit 130' INT TERM HUP
status=0
beside=0
sh -c "$2" || status=$?
wait "$first" || beside=$?
if [ "$beside" -ne 0 ] || [ "$status" -eq 0 ]; then cat "$log"; fi
[ "$beside" -eq 0 ] || status=$beside
exit "$status"
