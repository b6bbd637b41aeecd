#!/usr/bin/env bash
# Tests scripts/check-mutations.py with a table made for it.
set -euo pipefail
root=$(cd "$(dirname "$0")/../.." && pwd)
# shellcheck source=Tests/Prose/judge.sh
source "$root/Tests/Prose/judge.sh"
cd "$scratch"
mkdir -p Sources Tests/ABI Tests/Suites
printf 'func f() {\n  a()\n  b( 1 )\n}\nfunc g() { a() }\n' > Sources/A.swift
printf 'TEST(first) {}\n' > Tests/ABI/wait.c
printf 'struct Waiting { @Test func ends() {} }\n' > Tests/Suites/Waiting.swift
printf '@Suite("T4")\nstruct Making {\n  @Test(\n    "T1, T-2: it \\"is\\"")\n  func makes() {}\n}\n' > Tests/Suites/Making.swift
printf 'struct Keeping {\n  @Test("T3: a class does it")\n  func keeps() {}\n  @Test("T4") func stays() {}\n}\n' > Tests/Suites/Keeping.swift
mkdir docs
printf 'T1   one\nT2   two\nT3   three\nT4   four\n-T5  five\n' > docs/features.txt

# expect STATUS PATTERN NAME ROW: checks a table with a row, from its `file:` on.
expect() {
  printf '== row\n%b\n' "$4" > table.txt
  judge "$1" "$2" "$3" "$root/scripts/check-mutations.py" table.txt
}

row='file: Sources/A.swift\nbreaks: it\ntests: '
expect 0 end "a row that is right" "${row}Suites.Waiting Suites.Waiting/ends()\n- b(1)\n+ c()"
expect 0 end "a row of a C program" "${row}ABI/wait.first\n- b(1)\n+ c()"
expect 0 end "one of several places" "${row}ABI/wait\nplace: 2\n- a()\n+ c()"
expect 0 end "context" "${row}ABI/wait\n  a()\n- b(1)"
expect 0 end "equivalent" 'file: Sources/A.swift\nbreaks: it\nequivalent: it is\n- b(1)\n+ c()'
about() { printf "%s" "file: Sources/A.swift\\nbreaks: it\\nrows: $1\\ntests: $2\\n- b(1)\\n+ c()"; }
expect 0 end "rows of a test's name, and its suite's" "$(about 'T1 T2 T4' 'Suites.Waiting Suites.Making/makes()')"
expect 0 end "a name with a declaration's word" "$(about T3 'Suites.Keeping/keeps()')"
expect 0 end "a name on the function's line" "$(about T4 'Suites.Keeping/stays()')"
expect 1 'names no single test with T3 in its name' "a row in no test's name" "$(about 'T1 T3' 'Suites.Making/makes()')"
expect 1 'names no single test with T1 in its name' "a suite for a row" "$(about T1 Suites.Making)"
expect 1 'offers no row T5' "a row that is not offered" "$(about T5 'Suites.Making/makes()')"
expect 1 'table.txt:1: row: its code is not in Sources/A.swift' "code that is gone" "${row}ABI/wait\n- d()\n+ c()"
expect 1 'is in Sources/A.swift 2 times' "code that is there twice" "${row}ABI/wait\n- a()\n+ c()"
expect 1 'is in Sources/A.swift 2 times' "a place that is not there" "${row}ABI/wait\nplace: 3\n- a()\n+ c()"
expect 1 'no file Sources/C.swift' "a file that is gone" 'file: Sources/C.swift\ntests: ABI/wait\n- a()'
expect 1 'replaces nothing' "no change" "${row}ABI/wait\n- b(1)\n+ b( 1 )"
expect 1 'declaration of a function' "a whole function" "${row}ABI/wait\n- func g() { a() }\n+ func g() {}"
printf 'struct B {\n  var isB: Bool { a() }\n}\n' > Sources/B.swift
b='file: Sources/B.swift\nbreaks: it\ntests: ABI/wait\n'
expect 0 end "the body of a property" "$b- a()\n+ c()"
expect 1 'or a property' "a whole property" "$b- var isB: Bool { a() }\n+ var isB: Bool { c() }"
expect 1 'the end of a function, where' "the end of a property" "$b- a() }\n+ c() }"
expect 1 'the end of a function, where' "the end of a function" "${row}ABI/wait\n- a() }\n+ c() }"
expect 1 'has the beginning or the end' "the body of a property with its braces" "$b- { a() }\n+ { c() }"
printf 'class C {\n  init() { a() }\n  func f(\n    if b: Int\n  ) {\n    if b { a(1) } else { a(2) }\n  }\n}\n' > Sources/C.swift
c='file: Sources/C.swift\nbreaks: it\ntests: ABI/wait\n'
expect 1 'declaration of a function' "a whole initializer" "$c- init() { a() }\n+ init() {}"
expect 0 end "the end of a statement" "$c- a(1) } else {\n+ a(2) } else {"
expect 1 'table.txt:8: A note' "a line that is no comment" "${row}ABI/wait\n- b(1)\n+ c()\n\nA note: it breaks."
expect 1 'no comment' "a field that is unknown" "${row}ABI/wait\nplaces: 2\n- b(1)\n+ c()"
printf 'int f(void) {\n  int a = 1;\n  g(a);\n  if (a > 0)\n    g(2);\n  return a;\n}\n' > Sources/a.c
c='file: Sources/a.c\nbreaks: it\ntests: ABI/wait\n'
expect 0 end "a statement of C" "$c- g(a);\n+ g(0);"
expect 1 'declares a, which would end' "a declaration of C" "$c- int a = 1;\n+ int a = 2;"
expect 1 'half a statement' "a condition of C without its statement" "$c- if (a > 0)\n+ if (false)"
expect 1 'a bracket has no counterpart' "half a block of C" "$c- int f(void) {\n+ int g(void) {"
printf 'int b[] = {\n  e(1),\n  e(2),\n};\n' > Sources/b.c
expect 1 'an element of a list' "an element in C" "file: Sources/b.c\nbreaks: it\ntests: ABI/wait\n- e(1),\n+ e(3),"
expect 1 'another number of brackets' "a bracket lost" "${row}ABI/wait\n- b(1)\n+ c("
mkdir -p include Tests/ABI/hpp
printf '#define A(b) c(b)\n' > include/a.h
touch Tests/ABI/hpp/streams.cpp
h='file: include/a.h\nbreaks: it\ntests: '
expect 0 end "a macro of a header" "${h}Headers/streams Headers/wait Headers/check-headers\n- #define A(b) c(b)\n+ #define A(b) c("
expect 1 'no program loops.cpp in Tests/ABI/hpp, or' "a program of a header that is gone" "${h}Headers/loops\n- c(b)\n+ c()"
expect 1 'a header is judged by tests named Headers' "a header and another test" "${h}ABI/wait\n- c(b)\n+ c()"
expect 1 'a header is judged by tests named Headers' "another file and a header's test" "${row}Headers/streams\n- b(1)\n+ c()"
expect 1 'tests of two products' "tests of two products" "${row}ABI/wait.first Suites.Waiting\n- b(1)\n+ c()"
expect 1 'has no .breaks:' "no behaviour" 'file: Sources/A.swift\ntests: ABI/wait\n- b(1)\n+ c()'
expect 1 'names no test' "no test" "${row}\n- b(1)\n+ c()"
expect 1 'wait.c has no test second' "a test that is gone" "${row}ABI/wait.second\n- b(1)\n+ c()"
expect 1 'no program loop.c in Tests/ABI or' "a program that is gone" "${row}ABI/loop\n- b(1)\n+ c()"
expect 1 'declares no Sleeping' "a suite that is gone" "${row}Suites.Sleeping\n- b(1)\n+ c()"
expect 1 'Waiting has no target of tests before it' "a suite without its target" "${row}Waiting\n- b(1)\n+ c()"
expect 1 'a second row of this name' "a name twice" \
  "${row}ABI/wait\n- b(1)\n+ c()\n== row\n${row}ABI/wait\n- b(1)\n+ d()"

if [[ $failed -gt 0 ]]; then
  echo "check-mutations: $failed failed" >&2
  exit 1
fi
