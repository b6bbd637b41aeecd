// swift-tools-version: 6.2
import PackageDescription

// A package of its own, since it can only be linked with -sanitize=fuzzer: scripts/fuzz.sh builds it. The fuzzed
// code is in FuzzTargets, which the ordinary tests compile too, by a symbolic link, to replay the corpus.
let package = Package(
  name: "fuzz",
  dependencies: [.package(name: "promises", path: "../..")],
  targets: [
    .target(name: "CFuzzer"),
    .target(name: "FuzzTargets", dependencies: [.product(name: "PluginRuntime", package: "promises")]),
    .executableTarget(name: "fuzz", dependencies: ["CFuzzer", "FuzzTargets"]),
  ],
  swiftLanguageModes: [.v6]
)
