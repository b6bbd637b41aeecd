#!/usr/bin/env bash
# Tests the memory orderings of the engine: runs the interleavings once more, with each plain access reported to a race
# detector (Tests/CRaces), which follows the orderings that the engine requests.
#
#     scripts/test-orderings.sh [TEST...]
#
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

# As the package manager's test runner does.
cat > "$out/main.swift" << 'EOF'
import Testing
@main struct Runner {
  static func main() async { await Testing.__swiftPMEntryPoint() as Never }
}
EOF
find -L "$tests/EngineInterleavings" -name '*.swift' | sort | sed 's/.*/"&"/' > "$out/files"
echo "\"$out/main.swift\"" >> "$out/files"
plugins=$toolchain/lib/swift/host/plugins/testing
"$toolchain/bin/swiftc" -module-name EngineInterleavings -package-name promises -parse-as-library -wmo -O -g \
  -swift-version 6 -enable-upcoming-feature MemberImportVisibility -enable-upcoming-feature ExistentialAny \
  -suppress-warnings -sanitize=thread -plugin-path "$plugins" "${includes[@]}" "@$out/files" -c -o "$out/tests.o"
"$toolchain/bin/swiftc" -use-ld=lld -Xlinker --export-dynamic "$out/tests.o" "${objects[@]}" -lTesting -o "$out/tests"

filters=()
for test in "$@"; do filters+=(--filter "$test"); done
exec "$out/tests" --testing-library swift-testing "${filters[@]}"
