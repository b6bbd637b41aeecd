#!/bin/sh
# Runs a part of `make test` and notes how long it took. Prints the times of all parts if it fails.
#
#     scripts/timed.sh PART COMMAND [ARGUMENT...]
#     scripts/timed.sh --show
#
# TIMES: the file with the time of the start, and a line for each part, its seconds and its name. Two parts may run at
# once. Without it nothing is recorded.
# Exit status: that of the command.
set -eu

show() {
  awk -v now="$(date +%s)" '
    NR == 1 { start = $1; next }
    { printf "%6d s  %s\n", $1, $2 }
    END { printf "%6d s  in all, of at most 1500\n", now - start }' "$TIMES"
}

if [ "${1-}" = --show ] && [ $# -eq 1 ]; then
  show
  exit
fi
[ $# -ge 2 ] || { echo "usage: timed.sh PART COMMAND [ARGUMENT...] | --show" >&2; exit 64; }
part=$1
shift
[ -n "${TIMES-}" ] || exec "$@"
start=$(date +%s)
status=0
"$@" || status=$?
echo "$(($(date +%s) - start)) $part" >>"$TIMES"
if [ "$status" -ne 0 ]; then
  echo "make test: $part failed (status $status); the parts so far:"
  show
fi
exit "$status"
