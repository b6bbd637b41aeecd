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

# Files that grew beyond one subject.
status=0
while IFS= read -r file; do
  lines=$(wc -l <"$file")
  if [ "$lines" -gt 400 ]; then
    echo "$file: $lines lines; one subject a file, at most 400" >&2
    status=1
  fi
done <<EOF
$(git ls-files -- '*.swift' '*.c' '*.h' '*.py' '*.sh')
EOF
exit $status
