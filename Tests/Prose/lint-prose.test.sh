#!/usr/bin/env bash
# Tests scripts/lint-prose: each rule finds its offender, and plain prose passes.
set -euo pipefail
lint=$(cd "$(dirname "$0")/../.." && pwd)/scripts/lint-prose
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
passed=0
failed=0

# expect STATUS PATTERN NAME [FILE]: lints the standard input as FILE (default: case.h).
expect() {
  local status=0 file=$scratch/${4:-case.h}
  mkdir -p "$(dirname "$file")"
  cat > "$file"
  (cd "$scratch" && "$lint" "${4:-case.h}" > log 2>&1) || status=$?
  if [[ $status -eq $1 ]] && grep -qE -- "$2" <(cat "$scratch/log"; echo end); then
    passed=$((passed + 1))
  else
    failed=$((failed + 1))
    echo "FAIL  $3: status $status"
    cat "$scratch/log"
  fi
}

expect 0 end "a plain comment" << 'TEXT'
/* Cancels the token and every token chained to it.
 * Returns PROMISE_OK.
 * [any thread] */
TEXT
expect 1 ':2: opens with .Whoever' "an opener" << 'TEXT'
int before;
/* Whoever settles it. */
TEXT
expect 1 ':3: .hear.' "a riddle, at its line" << 'TEXT'
/* Cancels it.
 *
 * Handlers hear of it. */
TEXT
for words in 'is no handle' 'for ever' 'for want of memory' 'to be had' 'in the hands of a caller' 'in the midst of a call'; do
  expect 1 ":1: '${words:0:6}" "$words" <<< "/* Waits ${words}. */"
done
expect 0 end "words that only resemble a riddle" << 'TEXT'
/* Waits forever for every event, in the hand of a clock. There is no other; it is no longer open, and no such thing. */
TEXT
expect 1 ':1: opens with .The same' "a doc comment of Swift" case.swift << 'TEXT'
/// The same for many.
func f() {}
TEXT
for opener in Of By For In It Before From As Not With To; do
  expect 1 ":2: opens with '$opener'" "a doc comment that opens with $opener" case.swift << TEXT
let a = 0
/// $opener seconds.
let b = 0
TEXT
done
expect 0 end "a comment within code that opens with a preposition" case.swift << 'TEXT'
// In the order of attachment.
f()
TEXT
expect 1 ":1: 'what'" "a trailing comment of Swift" case.swift << 'TEXT'
let url = "https://example.org" // what is fetched
TEXT
expect 1 ":2: 'gone'" "a trailing comment of C" case.c << 'TEXT'
int first;
int second; /* it may be gone */
TEXT
expect 1 ":1: 'goes'" "a trailing comment of a script" case.sh <<< 'rm file '"# it ""goes"
expect 0 end "literals that hold marks of comments" case.c << 'TEXT'
const char *url = "https://example.org/what", *star = "/* what */";
TEXT
expect 1 ":2: 'what'" "the name of a test of Swift" case.swift << 'TEXT'
  @Test(arguments: [1, 2])
  func refusesWhatIsCutOff(length: Int) {}
TEXT
expect 1 ":1: 'goes'" "the text of a test of Swift" case.swift << 'TEXT'
@Test("T1: a value goes in")
func passesValues() {}
TEXT
expect 1 ":1: 'is no verdict'" "the name of a test of C" case.c << 'TEXT'
TEST(state_is_no_verdict) {
TEXT
expect 1 ":1: 'what'" "the text of a check" case.c << 'TEXT'
RULE(invalid_arguments, "what is wrong is refused") {
TEXT
expect 1 ":1: 'told'" "the name of a check" case.c << 'TEXT'
RULE(version_is_told,
     "the version is reported") {
TEXT
expect 0 end "names of tests in plain words, and of other functions" case.swift << 'TEXT'
@Test("an exception gives its what()") func exception() {}
func whatIsWrong() {}
TEXT
expect 1 ":1: 'what'" "the text of a suite" case.swift << 'TEXT'
@Suite("Loading: what is no file") struct Files {}
TEXT
expect 1 ":2: 'told'" "the name of a test of C++" case.cpp << 'TEXT'
  return run(hooks_are_called,
             hooks_are_told);
TEXT
expect 0 end "other calls of run()" case.cpp <<< '  promises::run(what, told);'
expect 1 ":2: 'what'" "a heading between dashes" << 'TEXT'

/* ---- Freeing what is left ---- */
TEXT
expect 1 ":2: opens with 'For'" "a doc comment of a C++ header" include/promise/cpp/case.hpp << 'TEXT'
namespace promises {
// For executors.
inline int f();
TEXT
expect 0 end "a comment within a function of a C++ header" include/promise/cpp/case.hpp << 'TEXT'
inline void f() {
    // In the order of attachment.
TEXT
expect 1 ":4: opens with 'What'" "a docstring of Python" case.py << 'TEXT'
"""Draws functions."""

def f():
    """What is drawn."""
TEXT
expect 1 ":4: 'what'" "a later line of a docstring" case.py << 'TEXT'
def f():
    """Draws functions.

    Says what they are.
    """
TEXT
expect 1 ":4: not indented below" "a parameter outside the list of parameters" case.swift << 'TEXT'
/// Reads bytes.
///
/// - Parameters:
/// - count: the number of bytes.
///   - path: the file.
TEXT
expect 1 ":3: not indented below" "a second line outside the item of a parameter" case.swift << 'TEXT'
/// - Parameters:
///   - count: the number of bytes, which
/// - includes the header.
///   - path: the file.
TEXT
expect 0 end "a list of parameters" case.swift << 'TEXT'
/// - Parameters:
///   - count: the number of bytes, which
///     includes the header.
/// - Returns: the bytes.
/// - Throws: errors of the system.
TEXT
expect 0 end "code in quotes, and a drawing" case.swift << 'TEXT'
// Drops `what` was "gone".
//
//     [ pending ] ---> [ what goes ]
TEXT
expect 1 'words in a sentence' "a long sentence" << TEXT
/* Returns $(printf 'word %.0s' {1..41}). */
TEXT
expect 1 ':2: 126 columns' "a wide line of a comment" << TEXT
/* First.
 * $(printf 'word, %.0s' {1..19}) wide. */
TEXT
expect 1 ':2: 124 columns' "a wide line of a docstring" case.py << TEXT
def f():
    """$(printf 'word, %.0s' {1..18}) wide."""
TEXT
expect 1 ":1: 'what'" "a text of a program" Sources/case.swift << 'TEXT'
let message = "expected what follows"
TEXT
expect 0 end "a short text, and a text of a test" Tests/case.swift << 'TEXT'
let message = "expected what follows"
TEXT
expect 0 end "a wide line of code, and a wide link" case.swift << TEXT
// See https://example.org/$(printf 'x%.0s' {1..130})
let text = "$(printf 'x%.0s' {1..130})"
TEXT
expect 1 ':1: .*columns' "a wide line of Markdown" case.md << TEXT
$(printf 'word %.0s' {1..30})
TEXT
expect 0 end "tables, links and code of Markdown" case.md << TEXT
| $(printf 'word %.0s' {1..30}) |
[a link]($(printf 'x%.0s' {1..130}))

\`\`\`
$(printf 'word %.0s' {1..30})
\`\`\`
TEXT

expect 1 ":3: 'what'" "a cell of a table" case.md << 'TEXT'
| fault | result |
| --- | --- |
| none | what follows |
TEXT
expect 0 end "a question in a table" case.md << 'TEXT'
| What is "immediately"? | At once. |
TEXT
expect 1 ":1: 'what'" "a step of a list of Markdown, and its second line" case.md << 'TEXT'
10. Add a case
    that says what comes.
TEXT
expect 1 ":2: 'goes'" "an inner list of Markdown" case.md << 'TEXT'
- Outer:
  - inner
    and where it goes.
TEXT
expect 0 end "code in Markdown, also within a list" case.md << 'TEXT'
1. Run

       what goes

Text.

    what goes
TEXT

expect 1 ':2: .goes.' "a manual page, at the line of the sentence" case.1 << 'TEXT'
.Sh DESCRIPTION
.Nm prog
writes a line that goes
.Pa somewhere .
TEXT
expect 0 end "macros of a manual page" case.1 << 'TEXT'
.\" What nobody reads.
.Sh WHAT
.Nm prog
writes
.Pa a.file .
TEXT

# Subjects, in a repository of its own.
git init -q "$scratch/repo"
cd "$scratch/repo"
commit() {
  git -c user.name=x -c user.email=x@example.org commit -q --allow-empty -m "$1"
}
subject() { # subject STATUS SUBJECT
  local status=0
  commit "$2"
  "$lint" --commits HEAD~1 > "$scratch/log" 2>&1 || status=$?
  if [[ $status -eq $1 ]]; then passed=$((passed + 1)); else
    failed=$((failed + 1))
    echo "FAIL  subject '$2': status $status"
  fi
}
commit "first: begin"
subject 0 "engine: fix a data race on the subscriber's executor index"
subject 0 "abi, tests: rename scan to window"
subject 1 "engine: what lies beside another's half of a word is read alone"
subject 1 "engine: a wait knows a promise from another"
subject 1 "engine: fixed the order"
subject 1 "Fix the order"

echo "$passed passed, $failed failed"
((failed == 0 && passed > 0))
