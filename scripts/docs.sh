#!/bin/sh
# Builds the documentation of the module Promises with DocC. The forms of a method that differ in `on:` are one group.
# A warning is an error: a broken link, an undocumented parameter.
# Usage: scripts/docs.sh [FOLDER], the output folder: out/docs.
set -eu
cd "$(dirname "$0")/.."
folder=${1-out/docs}
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

swift build --target Promises >"$scratch/log" 2>&1 || { cat "$scratch/log" >&2; exit 1; }
build=$(swift build --show-bin-path)
target=$(swiftc -print-target-info | sed -n 's/^ *"triple" *: *"\([^"]*\)".*/\1/p')
mkdir "$scratch/symbols" "$(dirname "$folder")" 2>/dev/null || true
swift-symbolgraph-extract -module-name Promises -I "$build/Modules" \
  -Xcc "-fmodule-map-file=$build/CPlatform.build/module.modulemap" -target "$target" -minimum-access-level public \
  -skip-synthesized-members -output-dir "$scratch/symbols"
# Every public type must be linked from a page, and every member of the types with many.
grep -o '"pathComponents":\[[^]]*\]' "$scratch/symbols/Promises.symbols.json" |
  sed 's/.*\[//; s/"\]//; s/"//g; s/,/\//' | sort -u |
  grep -E '^[^/]*$|^(AnyPromise|Promise|Future|Resolver|PromiseContext)/' |
  grep -vE '/==|/hash\(|^PromiseContext/description$' >"$scratch/expected"
# shellcheck disable=SC2016 # the quotes of Markdown, not of the shell
find Sources/Promises/Promises.docc -name '*.md' -exec cat {} + | grep -o '``[^`]*``' | tr -d '`' >"$scratch/linked"
while IFS= read -r symbol; do
  # A link to an overload ends with a disambiguation suffix.
  grep -qxF -- "$symbol" "$scratch/linked" || grep -qF -- "$symbol-" "$scratch/linked" || echo "$symbol"
done <"$scratch/expected" >"$scratch/lost"
if [ -s "$scratch/lost" ]; then
  sed 's|^|docs.sh: no page of Sources/Promises/Promises.docc links to |' "$scratch/lost" >&2
  exit 1
fi
docc convert Sources/Promises/Promises.docc --additional-symbol-graph-dir "$scratch/symbols" --output-dir "$folder" \
  --enable-experimental-overloaded-symbol-presentation --warnings-as-errors --emit-digest
echo "docs.sh: $folder"
