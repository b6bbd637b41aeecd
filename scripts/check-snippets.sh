#!/bin/sh
# Compiles the snippets of the documentation in Sources/Promises/Promises.docc: each fenced block of Swift, and each
# code in the last column of the tables in its folder Migration, as a statement. Each snippet follows
# Tests/Snippets/Prelude.swift.
# Usage: scripts/check-snippets.sh. Exit status: 0 if all compile without a warning, 1 if not, with the compiler's
# output; a comment before each snippet names its page and line.
set -eu
cd "$(dirname "$0")/.."
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

swift build --target PromisesFoundation >"$scratch/log" 2>&1 || { cat "$scratch/log" >&2; exit 1; }
build=$(swift build --show-bin-path)

{
  echo 'import Dispatch'
  echo 'import Foundation'
  echo 'import FoundationNetworking'
  echo 'import Promises'
  echo 'import PromisesFoundation'
  find Sources/Promises/Promises.docc -name '*.md' | LC_ALL=C sort | while IFS= read -r page; do
    awk -v page="$page" -v number="$(echo "$page" | cksum | cut -d' ' -f1)" '
      function open_function() {
        printf "// %s:%d\nfunc snippet%s_%d() async throws {\n", page, FNR, number, ++count
      }
      /^```swift$/ { open_function(); inside = 1; next }
      /^```$/ && inside { print "}"; inside = 0; next }
      inside { print; next }
      page ~ /Migration\// && /^\|.*`.*\|$/ {
        # Pipes within code are escaped in tables.
        row = $0
        gsub(/\\\|/, "\001", row)
        columns = split(row, cells, "|")
        cell = cells[columns - 1]
        if (match(cell, /`[^`]+`/)) {
          code = substr(cell, RSTART + 1, RLENGTH - 2)
          gsub(/\001/, "|", code)
          open_function()
          if (code ~ /^(let|var|for|do) /) print "  " code
          else print "  use(" code ")"
          if (code ~ /^(let|var) /) { split(code, words, /[ :=]+/); if (words[2] !~ /^\(/) print "  use(" words[2] ")" }
          print "}"
        }
      }' "$page"
  done
} >"$scratch/Snippets.swift"

count=$(grep -c '^func snippet' "$scratch/Snippets.swift")
[ "$count" -gt 0 ] || { echo "Sources/Promises/Promises.docc: no snippet found" >&2; exit 1; }
swiftc -typecheck -swift-version 6 -warnings-as-errors -I "$build/Modules" \
  -Xcc "-fmodule-map-file=$build/CPlatform.build/module.modulemap" \
  Tests/Snippets/Prelude.swift "$scratch/Snippets.swift" || {
  echo "check-snippets.sh: the file that did not compile:" >&2
  cat -n "$scratch/Snippets.swift" >&2
  exit 1
}
echo "check-snippets.sh: $count snippets compile"
