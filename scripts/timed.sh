#!/bin/sh
# Runs a part of `make test` and notes how long it took. Prints the times of all parts if it fails.
#
#     scripts/timed.sh PART COMMAND [ARGUMENT...]
#     scripts/timed.sh --show
#
# TIMES: the file with a line for each part, its seconds and its name. Without it nothing is recorded.
# Exit status: that of the command.
set -eu

show() {
  awk '{ printf "%6d s  %s\n", $1, $2; sum += $1 } END { printf "%6d s  in all, of at most 1500\n", sum }' "$TIMES"
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
