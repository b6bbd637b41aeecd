#!/usr/bin/env bash
# Tests the memory orderings of the engine: runs the interleavings once more, with a memory model (Tests/CRaces) that
# follows the orderings that the engine requests. It finds races of plain accesses, and lets loads return old values.
#
#     scripts/test-orderings.sh [--build] [TEST...]
#
# --build   builds them alone: $OUT/tests
# TEST      the tests of Tests/EngineInterleavings to run; default: all
# SOURCES   the package to build: this one
# OUT       build folder: .build-orderings
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
sources=${SOURCES:-$root}
out=${OUT:-$root/.build-orderings}
toolchain=$(dirname "$(dirname "$(readlink -f "$(command -v swift)")")")
tests=$sources/Tests
mkdir -p "$out"

includes=()
objects=()
for target in "$sources/Sources/CPlatform" "$tests/CCoroutines" "$tests/CRaces"; do
  name=$(basename "$target")
  echo "module $name { umbrella \"$target/include\" export * }" > "$out/$name.modulemap"
  includes+=(-Xcc "-fmodule-map-file=$out/$name.modulemap" -Xcc "-I$target/include")
  for file in "$target"/*.c; do
    object=$out/$name-$(basename "$file").o
    "$toolchain/bin/clang" -O2 -g "-I$target/include" -c "$file" -o "$object"
    objects+=("$object")
  done
done

# The entry point of the package manager's test runner.
cat > "$out/main.swift" << 'EOF'
import Testing
@main struct Runner {
  static func main() async { await Testing.__swiftPMEntryPoint() as Never }
}
EOF
find -L "$tests/EngineInterleavings" -name '*.swift' | sort | sed 's/.*/"&"/' > "$out/files"
echo "\"$out/main.swift\"" >> "$out/files"
plugins=$toolchain/lib/swift/host/plugins/testing
"$toolchain/bin/swiftc" -module-name Orderings -package-name promises -parse-as-library -wmo -O -g \
  -swift-version 6 -enable-upcoming-feature MemberImportVisibility -enable-upcoming-feature ExistentialAny \
  -suppress-warnings -sanitize=thread -plugin-path "$plugins" "${includes[@]}" "@$out/files" -c -o "$out/tests.o"
"$toolchain/bin/swiftc" -use-ld=lld -Xlinker --export-dynamic "$out/tests.o" "${objects[@]}" -lTesting -o "$out/tests"

[[ ${1:-} != --build ]] || exit 0
filters=()
for test in "$@"; do filters+=(--filter "$test"); done
exec "$out/tests" --testing-library swift-testing "${filters[@]}"
