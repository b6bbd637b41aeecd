// swift-tools-version: 6.2
import PackageDescription

// A package of its own: the adapters are behind traits, so that a build of `promises` does not fetch the packages that
// the adapters connect to. scripts/test-adapters.sh runs it.
let package = Package(
  name: "adapters",
  dependencies: [
    .package(name: "promises", path: "../..", traits: ["Logging", "Metrics", "OpenCombine", "Tracing"]),
    .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
    .package(url: "https://github.com/apple/swift-metrics", from: "2.13.0"),
    .package(url: "https://github.com/apple/swift-distributed-tracing", from: "1.7.3"),
    .package(url: "https://github.com/OpenCombine/OpenCombine", from: "0.14.0"),
  ],
  targets: [
    .testTarget(
      name: "AdapterTests",
      dependencies: [
        .product(name: "Promises", package: "promises"),
        .product(name: "PromisesDiagnostics", package: "promises"),
        .product(name: "PromisesLogging", package: "promises"),
        .product(name: "PromisesMetrics", package: "promises"),
        .product(name: "PromisesTracing", package: "promises"),
        .product(name: "PromisesOpenCombine", package: "promises"),
        .product(name: "Logging", package: "swift-log"),
        .product(name: "InMemoryLogging", package: "swift-log"),
        .product(name: "CoreMetrics", package: "swift-metrics"),
        .product(name: "MetricsTestKit", package: "swift-metrics"),
        .product(name: "Tracing", package: "swift-distributed-tracing"),
        .product(name: "InMemoryTracing", package: "swift-distributed-tracing"),
        .product(name: "OpenCombine", package: "OpenCombine"),
      ])
  ],
  swiftLanguageModes: [.v6]
)
