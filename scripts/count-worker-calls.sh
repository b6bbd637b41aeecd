#!/bin/sh
# Checks the instructions of a call into a worker process, in the host and in the worker: the difference of two runs,
# which leaves the start and the end of the processes out, by the calls that one makes more.
# usage: scripts/count-worker-calls.sh WORKER-COSTS CALLEE.so CHAIN.so
set -eu

[ $# -eq 3 ] || { echo "usage: scripts/count-worker-calls.sh WORKER-COSTS CALLEE.so CHAIN.so" >&2; exit 64; }
if ! command -v valgrind >/dev/null; then
  echo "  a call into a worker, instructions: skipped, valgrind is not installed"
  exit 0
fi
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
# Valgrinds of today give up on the debug information of the C half.
strip -g -o "$folder/worker-costs" "$1"

# count CALLS PART: the instructions of the host, or of its workers.
count() {
  logs=$folder/$1
  if [ ! -d "$logs" ]; then
    mkdir "$logs"
    valgrind --tool=callgrind --trace-children=yes --callgrind-out-file=/dev/null --log-file="$logs/%p" \
      "$folder/worker-costs" "$2" "$3" /bin/true --calls "$1"
  fi
  option=-l
  [ "$4" = host ] || option=-L
  grep "$option" -e "--calls $1\$" "$logs"/* | xargs sed -n 's/.*Collected : //p' | awk '{ sum += $1 } END { print sum }'
}

status=0
# check PART LIMIT: one row.
check() {
  more=$(count 3000 "$2" "$3" "$1")
  count=$(((more - $(count 1000 "$2" "$3" "$1")) / 2000))
  verdict=ok
  [ "$count" -le "$4" ] || { verdict=OVER; status=1; }
  printf '  %-58s %10s %10d %8s %8d   %s\n' "a call into a worker, instructions of the $1" "" "$count" "" "$4" "$verdict"
}
# A tenth above the counts of the day they were set.
check host "$2" "$3" 16000
check worker "$2" "$3" 19000
exit $status
