#!/usr/bin/env bash
# Runs a command that runs Swift tests, and shows its output. If it fails, repeats the failures alone at the end,
# because logs often keep only the last lines of a long run. Exits with the command's status.
# usage: scripts/failures-last.sh COMMAND [ARGUMENT...]
#
# LIMIT   seconds that the command may take: 2400. A hanging test is then listed as not ended.
set -uo pipefail
[[ $# -gt 0 ]] || { echo "usage: failures-last.sh COMMAND [ARGUMENT...]" >&2; exit 64; }
log=$(mktemp)
trap 'rm -f "$log"' EXIT

# timeout(1) signals the command and its process group alone. `swift test` gives its tests a group of their own: the
# session has them all, and tee ends when none of them has the pipe.
exec {out}> >(tee "$log")
tee=$!
setsid timeout --kill-after=10 "${LIMIT:-2400}" "$@" >&"$out" 2>&1 &
command=$!
trap 'kill "$command"' INT TERM HUP
wait "$command"
status=$?
[[ $status -eq 0 ]] || pkill -KILL -s "$command"
exec {out}>&-
wait "$tee"
[[ $status -ne 0 ]] || exit 0

# An issue may have several lines, up to the next event. After a crash, the tests that did not end are the suspects.
LC_ALL=C awk '
  function name(line) {
    sub(/^[^ ]+ Test /, "", line)
    sub(/ (started|passed|failed)( after .*|\.)$/, "", line)
    sub(/ with [0-9]+ test cases?$/, "", line)
    return line
  }
  /^[^ -~]+ (Test|Suite) / { more = 0 }
  / recorded an issue / { more = 12 }
  / crashed:$/ { more = 6 }
  /(^|: )(error|Fatal error): / || /^SUMMARY: / || /^\*\*\* Program crashed/ { if (!more) more = 1 }
  more > 0 { more--; if (NF) told[++lines] = $0 }
  /^[^ -~]+ Test run with .* (passed|failed) after / { ended = 1 }
  /^[^ -~]+ Test (run|case) / { next }
  /^[^ -~]+ Test .* started\.$/ { open[name($0)] = 1 }
  /^[^ -~]+ Test .* (passed|failed) after / { delete open[name($0)] }
  END {
    print ""
    print "What failed:"
    for (i = 1; i <= lines; i++) if (told[i] != told[i - 1]) print told[i]
    if (!ended) for (test in open) print "did not end: " test
  }
' "$log"
[[ $status -ne 124 && $status -ne 137 ]] || echo "ended after ${LIMIT:-2400} s"
echo "status $status: $*"
exit "$status"
