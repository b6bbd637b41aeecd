#!/bin/sh
# Checks the instructions of a call into a worker process, and of ten calls that depend on each other, in the host and
# in the worker: the difference of two runs, which leaves the start and the end of the processes out, by the calls that
# one makes more.
# usage: scripts/count-worker-calls.sh WORKER-COSTS CALLEE.so CHAIN.so
set -eu

[ $# -eq 3 ] || { echo "usage: scripts/count-worker-calls.sh WORKER-COSTS CALLEE.so CHAIN.so" >&2; exit 64; }
if ! command -v valgrind >/dev/null; then
  echo "  calls into a worker, instructions: skipped, valgrind is not installed"
  exit 0
fi
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
# Valgrinds of today give up on the debug information of the C half.
strip -g -o "$folder/worker-costs" "$1"

# run KIND COUNT: so many calls or chains, once.
run() {
  [ ! -d "$folder/$1-$2" ] || return 0
  mkdir "$folder/$1-$2"
  valgrind --tool=callgrind --trace-children=yes --callgrind-out-file=/dev/null --log-file="$folder/$1-$2/%p" \
    "$folder/worker-costs" "$callee" "$chain" /bin/true "--$1" "$2"
}

# count KIND COUNT PART: the instructions of the host, or of its workers.
count() {
  run "$1" "$2"
  option=-l
  [ "$3" = host ] || option=-L
  grep "$option" -e "--$1 $2\$" "$folder/$1-$2"/* | xargs sed -n 's/.*Collected : //p' |
    awk '{ sum += $1 } END { print sum }'
}

status=0
# check NAME KIND FEW MANY PART LIMIT: one row.
check() {
  many=$(count "$2" "$4" "$5")
  instructions=$(((many - $(count "$2" "$3" "$5")) / ($4 - $3)))
  verdict=ok
  [ "$instructions" -le "$6" ] || { verdict=OVER; status=1; }
  printf '  %-58s %10s %10d %8s %8d   %s\n' "$1, instructions of the $5" "" "$instructions" "" "$6" "$verdict"
}
callee=$2
chain=$3
# A tenth above the counts of the day they were set.
check "a call into a worker" calls 1000 3000 host 15500
check "a call into a worker" calls 1000 3000 worker 16500
check "ten calls in a chain" chains 100 400 host 152000
check "ten calls in a chain" chains 100 400 worker 195000
exit $status
