#!/bin/sh
# Builds and runs a package that depends on this one by version and imports Promises. It may fetch no other package, nor
# may one that depends on this one by path. Then runs the tests of Promises in release: code inlined into a user's
# module is not covered by this package's debug tests. The version is a tag in a repository created for the run from the
# files of this tree, committed or not.
set -eu
cd "$(dirname "$0")/.."
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

mkdir "$scratch/promises" "$scratch/client" "$scratch/client/Sources" "$scratch/client/Sources/client"
cp -R Tests "$scratch/client/Tests"
# These tests use @testable or package access, which only this package has.
rm -r "$scratch/client/Tests/PromisesTests/Engine"
git ls-files -z --cached --others --exclude-standard | tar --null --files-from=- -cf - | tar -xf - -C "$scratch/promises"
published() { git -C "$scratch/promises" -c user.name=test -c user.email=test@localhost "$@"; }
published init --quiet
published add --all
published commit --quiet --message "as published"
published tag 1.0.0

cat >"$scratch/client/Package.swift" <<EOF
// swift-tools-version: 6.0
import PackageDescription

let package = Package(
  name: "client",
  dependencies: [.package(url: "file://$scratch/promises", from: "1.0.0")],
  targets: [
    .executableTarget(name: "client", dependencies: [.product(name: "Promises", package: "promises")]),
    .target(
      name: "PromisesTestSupport", dependencies: [.product(name: "Promises", package: "promises")],
      path: "Tests/PromisesTestSupport"),
    .testTarget(
      name: "PromisesTests", dependencies: ["PromisesTestSupport", .product(name: "Promises", package: "promises")]),
  ]
)
EOF

cat >"$scratch/client/Sources/client/main.swift" <<'EOF'
import Promises

struct NotFound: Error { let page: Int }

func size(of page: Int) -> Promise<Int> {
  page < 100 ? .resolve(page * 2) : .reject(NotFound(page: page))
}

let page = Promise<Int>()
let report = page.then { size(of: $0) }.then { "size \($0)" }.rescue { (error: NotFound) in "no page \(error.page)" }
report.then({ print($0) }, { print("failed: \($0 ?? "nil")") })
page.resolve(21)
size(of: 404).rescue { (error: NotFound) in print("no page \(error.page)") }
let discarded = Promise<Int>(discard: { print("cancelled") })
discarded.discard()
print(discarded.state)
EOF

swift package resolve --package-path "$scratch/client" >"$scratch/log" 2>&1 || { cat "$scratch/log" >&2; exit 1; }
fetched=$(ls "$scratch/client/.build/checkouts")
if [ "$fetched" != promises ]; then
  printf 'a package that depends on Promises alone fetched\n%s\n' "$fetched" >&2
  exit 1
fi

# The download of a registry is not a checkout.
download=$scratch/registry/downloads/example/promises/1.0.0
mkdir -p "$(dirname "$download")"
cp -R "$scratch/promises" "$download"
if swift package dump-package --package-path "$download" | grep -q swift-argument-parser; then
  echo "a package that depends on Promises from a registry fetches swift-argument-parser" >&2
  exit 1
fi

# In any other folder this package is like a clone; a trait leaves the command line out.
mkdir "$scratch/neighbour" "$scratch/neighbour/Sources" "$scratch/neighbour/Sources/neighbour"
echo 'import Promises' >"$scratch/neighbour/Sources/neighbour/main.swift"
cat >"$scratch/neighbour/Package.swift" <<EOF
// swift-tools-version: 6.1
import PackageDescription

let package = Package(
  name: "neighbour",
  dependencies: [.package(path: "../promises", traits: [])],
  targets: [.executableTarget(name: "neighbour", dependencies: [.product(name: "Promises", package: "promises")])]
)
EOF
swift package resolve --package-path "$scratch/neighbour" >"$scratch/log" 2>&1 || { cat "$scratch/log" >&2; exit 1; }
if grep -q 'https://' "$scratch/log"; then
  echo "a package that depends on Promises by path, with no trait, fetches packages:" >&2
  cat "$scratch/log" >&2
  exit 1
fi

expected="size 42
no page 404
cancelled
rejected"
# One build, for the program and the tests.
scripts/failures-last.sh swift build -c release --build-tests --package-path "$scratch/client"
actual=$(swift run --quiet -c release --skip-build --package-path "$scratch/client" client)
if [ "$actual" != "$expected" ]; then
  printf 'the dependent package printed\n%s\ninstead of\n%s\n' "$actual" "$expected" >&2
  exit 1
fi
scripts/failures-last.sh swift test -c release --skip-build --package-path "$scratch/client"
echo "test-dependent-package: a package that depends on version 1.0.0 builds and runs"
