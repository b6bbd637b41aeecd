// swift-tools-version: 6.2
import PackageDescription

// A separate package: SwiftNIO, OpenCombine and swift-async-algorithms are peers, not dependencies; and the library is
// measured as its users build it, from another package.
let package = Package(
  name: "benchmarks",
  dependencies: [
    .package(name: "promises", path: "../.."),
    .package(url: "https://github.com/apple/swift-nio", from: "2.101.0"),
    .package(url: "https://github.com/apple/swift-async-algorithms", from: "1.1.4"),
    .package(url: "https://github.com/OpenCombine/OpenCombine", from: "0.14.0"),
  ],
  targets: [
    .target(name: "CReport"),
    .target(name: "Timing", dependencies: ["CReport"]),
    .executableTarget(
      name: "swift-costs",
      dependencies: [
        "CReport", "Timing",
        .product(name: "Promises", package: "promises"),
        .product(name: "NIOCore", package: "swift-nio"),
        .product(name: "NIOEmbedded", package: "swift-nio"),
        .product(name: "NIOPosix", package: "swift-nio"),
      ]),
    .executableTarget(
      name: "stream-costs",
      dependencies: [
        "CReport", "Timing",
        .product(name: "Promises", package: "promises"),
        .product(name: "AsyncAlgorithms", package: "swift-async-algorithms"),
        .product(name: "OpenCombine", package: "OpenCombine"),
      ]),
    .target(name: "CBareCall", linkerSettings: [.linkedLibrary("ffi")]),
    .executableTarget(
      name: "host-costs",
      dependencies: ["CBareCall", "CReport", "Timing", .product(name: "PluginRuntime", package: "promises")]),
    .target(name: "CBareWorker"),
    .executableTarget(
      name: "worker-costs",
      dependencies: [
        "CBareWorker", "CReport", "Timing",
        .product(name: "PluginRuntime", package: "promises"), .product(name: "Promises", package: "promises"),
      ],
      // The functions of promise.h, for plugins.
      linkerSettings: [
        .unsafeFlags(["-Xlinker", "--dynamic-list=\(Context.packageDirectory)/../../Sources/plugin-host/host.exports"])
      ]),
  ],
  swiftLanguageModes: [.v6]
)
