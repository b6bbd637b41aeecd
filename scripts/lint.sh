#!/bin/sh
# Checks the format of every source file, or with --fix mends it.
set -eu
cd "$(dirname "$0")/.."

swift_files() { git ls-files -z -- '*.swift'; }
c_files() { git ls-files -z -- '*.c' '*.h' '*.cpp' '*.hpp'; }
shell_files() { git ls-files -z -- '*.sh' scripts/check-abi .ci/run; }

if [ "${1-}" = --fix ]; then
  swift_files | xargs -0 swift format --in-place --parallel
  c_files | xargs -0 clang-format -i
  exit
fi

swift_files | xargs -0 swift format lint --strict --parallel
c_files | xargs -0 clang-format --dry-run --Werror
shell_files | xargs -0 shellcheck

# The prose of all sources, and of the subjects of commits; older subjects follow no rule.
first=867a536
Tests/Prose/lint-prose.test.sh
git ls-files -z -- 'include/*.h' 'include/*.hpp' | xargs -0 scripts/lint-prose
prose='c|h|cpp|hpp|swift|py|sh|php|go'
git ls-files -s -- Sources Tests examples scripts Benchmarks Package.swift .ci | grep -v '^120000' | cut -f 2 |
  grep -E "\.($prose)\$|^(scripts|\.ci)/[^.]*\$" | grep -v /corpus/ | xargs scripts/lint-prose
if git merge-base --is-ancestor $first HEAD 2>/dev/null; then
  scripts/lint-prose --commits $first
else
  echo "skipped: subjects of commits: the history is shallow"
fi

# The documents: their prose, and the files and declarations that they name.
git ls-files -z -- '*.md' docs/man | xargs -0 scripts/lint-prose
Tests/Prose/check-paths.test.sh
git ls-files -z -- README.md CONTRIBUTING.md Tests/Faults/README.md docs/'*.md' | xargs -0 scripts/check-paths.py
Tests/Prose/check-guarantees.test.sh
scripts/check-guarantees.py docs/abi-guarantees.md
# Each program of Tests/ABI is in the list there, by its name or by a pattern.
for file in Tests/ABI/*.[ch]; do
  name=${file##*/}
  if ! grep -qF "\`$name\`" Tests/ABI/README.md && ! grep -qF "\`${name%%_*}_*.${name##*.}\`" Tests/ABI/README.md; then
    echo "$file is not in the list of Tests/ABI/README.md" >&2
    exit 1
  fi
done
Tests/Prose/check-targets.test.sh
scripts/check-targets.py
Tests/Prose/check-layers.test.sh
scripts/check-layers.py docs/architecture.md

# The tables of mutations: their code is in the sources, and their tests exist.
Tests/Prose/check-mutations.test.sh
scripts/check-mutations.py

# Files that grew beyond one subject.
status=0
while IFS= read -r file; do
  lines=$(wc -l <"$file")
  if [ "$lines" -gt 400 ]; then
    echo "$file: $lines lines; one subject a file, at most 400" >&2
    status=1
  fi
done <<EOF
$(git ls-files -- '*.swift' '*.c' '*.h' '*.hpp' '*.cpp' '*.py' '*.sh')
EOF
exit $status
