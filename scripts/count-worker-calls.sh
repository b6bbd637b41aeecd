#!/bin/sh
# Checks the instructions of a call into a worker process, in the host and in the worker, and the system calls by which
# the host sends ten calls that depend on each other: the difference of two runs, which leaves the start and the end of
# the processes out, by the calls that one makes more.
# usage: scripts/count-worker-calls.sh WORKER-COSTS CALLEE.so CHAIN.so
set -eu

[ $# -eq 3 ] || { echo "usage: scripts/count-worker-calls.sh WORKER-COSTS CALLEE.so CHAIN.so" >&2; exit 64; }
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
status=0

# row NAME COUNT LIMIT: one row.
row() {
  verdict=ok
  [ "$2" -le "$3" ] || { verdict=OVER; status=1; }
  printf '  %-58s %10s %10d %8s %8d   %s\n' "$1" "" "$2" "" "$3" "$verdict"
}

# sends CHAINS: the system calls of the host that send. Those of the worker may wait.
sends() {
  strace -f -qq -e trace=sendto -e signal=none -o "$folder/sends" "$1" "$2" "$3" /bin/true --chains "$4"
  grep -c MSG_DONTWAIT "$folder/sends"
}
if command -v strace >/dev/null; then
  more=$(sends "$@" 600)
  # Rounded: once a second the host asks whether the worker reads.
  row "ten calls, each with the result of the one before, sends" $(((more - $(sends "$@" 100) + 250) / 500)) 4
else
  echo "  ten calls, each with the result of the one before, sends: skipped, strace is not installed"
fi

if ! command -v valgrind >/dev/null; then
  echo "  a call into a worker, instructions: skipped, valgrind is not installed"
  exit $status
fi
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

# check PART CALLEE CHAIN LIMIT: one row.
check() {
  more=$(count 3000 "$2" "$3" "$1")
  row "a call into a worker, instructions of the $1" $(((more - $(count 1000 "$2" "$3" "$1")) / 2000)) "$4"
}
# A tenth above the counts of the day they were set.
check host "$2" "$3" 16000
check worker "$2" "$3" 19000
exit $status
