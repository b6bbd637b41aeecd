#!/usr/bin/env bash
# Tests scripts/check-mutations.py with a table made for it.
set -euo pipefail
script=$(cd "$(dirname "$0")/../.." && pwd)/scripts/check-mutations.py
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch"
mkdir -p Sources Tests/ABI Tests/Suites
printf 'func f() {\n  a()\n  b( 1 )\n}\nfunc g() { a() }\n' > Sources/A.swift
printf 'RUN(first);\n' > Tests/ABI/wait.c
printf 'struct Waiting { @Test func ends() {} }\n' > Tests/Suites/Waiting.swift
failed=0

# expect STATUS PATTERN NAME ROW: checks a table with a row, from its `file:` on.
expect() {
  local status=0
  printf '== row\n%b\n' "$4" > table.txt
  "$script" table.txt > log 2>&1 || status=$?
  if [[ $status -ne $1 ]] || ! grep -qE -- "$2" <(cat log; echo end); then
    failed=$((failed + 1))
    echo "FAIL  $3: status $status"
    cat log
  fi
}

row='file: Sources/A.swift\nbreaks: it\ntests: '
expect 0 end "a row that is right" "${row}ABI/wait.first Suites.Waiting Waiting/ends()\n- b(1)\n+ c()"
expect 0 end "one of several places" "${row}ABI/wait\nplace: 2\n- a()\n+ c()"
expect 0 end "context" "${row}ABI/wait\n  a()\n- b(1)"
expect 0 end "equivalent" 'file: Sources/A.swift\nbreaks: it\nequivalent: it is\n- b(1)\n+ c()'
expect 1 'table.txt:1: row: its code is not in Sources/A.swift' "code that is gone" "${row}ABI/wait\n- d()\n+ c()"
expect 1 'is in Sources/A.swift 2 times' "code that is there twice" "${row}ABI/wait\n- a()\n+ c()"
expect 1 'is in Sources/A.swift 2 times' "a place that is not there" "${row}ABI/wait\nplace: 3\n- a()\n+ c()"
expect 1 'no file Sources/B.swift' "a file that is gone" 'file: Sources/B.swift\ntests: ABI/wait\n- a()'
expect 1 'replaces nothing' "no change" "${row}ABI/wait\n- b(1)\n+ b( 1 )"
expect 1 'names no test' "no test" "${row}\n- b(1)\n+ c()"
expect 1 'wait.c has no test second' "a test that is gone" "${row}ABI/wait.second\n- b(1)\n+ c()"
expect 1 'no program Tests/ABI/loop.c' "a program that is gone" "${row}ABI/loop\n- b(1)\n+ c()"
expect 1 'declares no Sleeping' "a suite that is gone" "${row}Suites.Sleeping\n- b(1)\n+ c()"
expect 1 'a second row of this name' "a name twice" \
  "${row}ABI/wait\n- b(1)\n+ c()\n== row\n${row}ABI/wait\n- b(1)\n+ d()"

if [[ $failed -gt 0 ]]; then
  echo "check-mutations: $failed failed" >&2
  exit 1
fi
