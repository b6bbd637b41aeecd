// swift-tools-version: 6.2
import PackageDescription

/// Applies to every Swift target of ours.
let settings: [SwiftSetting] = [
  .enableUpcomingFeature("MemberImportVisibility"),
  .enableUpcomingFeature("ExistentialAny"),
]

/// The settings of the engine and of the targets on its raw memory: each unsafe expression says so.
let engineSettings = settings + [.strictMemorySafety()]

let package = Package(
  name: "promises",
  products: [
    .library(name: "Promises", targets: ["Promises"]),
    .library(name: "PromisesFoundation", targets: ["PromisesFoundation"]),
    .library(name: "PromisesDiagnostics", targets: ["PromisesDiagnostics"]),
    .library(name: "PromisesLogging", targets: ["PromisesLogging"]),
    .library(name: "PromisesMetrics", targets: ["PromisesMetrics"]),
    .library(name: "PromisesTracing", targets: ["PromisesTracing"]),
    .library(name: "PromisesOpenCombine", targets: ["PromisesOpenCombine"]),
    .library(name: "PluginRuntime", targets: ["PluginRuntime"]),
    // libpromise.so, for C programs. Its file gets its version, links and headers from `make install`.
    .library(name: "promise", type: .dynamic, targets: ["libpromise"]),
    .executable(name: "plugin-host", targets: ["plugin-host"]),
  ],
  // A package is fetched for the users of its trait alone (docs/decisions/0029-adapters.md). The default is for clones;
  // a client that depends on this package by path leaves it out with `traits: []`.
  traits: [
    .default(enabledTraits: ["CommandLine"]),
    .trait(name: "CommandLine", description: "The program plugin-host, with its parser of the command line."),
    .trait(name: "Logging", description: "Reports of misuse by swift-log, in PromisesLogging."),
    .trait(name: "Metrics", description: "Counts and times by swift-metrics, in PromisesMetrics."),
    .trait(name: "Tracing", description: "Spans of futures by swift-distributed-tracing, in PromisesTracing."),
    .trait(name: "OpenCombine", description: "Streams to and from publishers of OpenCombine, in PromisesOpenCombine."),
  ],
  dependencies: [
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.0"),
    .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
    .package(url: "https://github.com/apple/swift-metrics", from: "2.13.0"),
    .package(url: "https://github.com/apple/swift-distributed-tracing", from: "1.7.3"),
    .package(url: "https://github.com/OpenCombine/OpenCombine", from: "0.14.0"),
  ],
  targets: [
    .target(name: "CPromise", path: "include", publicHeadersPath: "."),
    .target(name: "CPlatform"),
    .target(name: "CLibcFloor"),
    .target(name: "Promises", dependencies: ["CPlatform"], swiftSettings: engineSettings),
    .target(name: "PromisesFoundation", dependencies: ["Promises"], swiftSettings: settings),
    .target(name: "PromisesDiagnostics", dependencies: ["Promises"], swiftSettings: settings),
    // Empty without their traits.
    .target(
      name: "PromisesLogging",
      dependencies: [
        "PromisesDiagnostics", .product(name: "Logging", package: "swift-log", condition: .when(traits: ["Logging"])),
      ], swiftSettings: settings),
    .target(
      name: "PromisesMetrics",
      dependencies: [
        "Promises", "PromisesDiagnostics",
        .product(name: "CoreMetrics", package: "swift-metrics", condition: .when(traits: ["Metrics"])),
      ], swiftSettings: settings),
    .target(
      name: "PromisesTracing",
      dependencies: [
        "Promises",
        .product(name: "Instrumentation", package: "swift-distributed-tracing", condition: .when(traits: ["Tracing"])),
        .product(name: "Tracing", package: "swift-distributed-tracing", condition: .when(traits: ["Tracing"])),
      ], swiftSettings: settings),
    .target(
      name: "PromisesOpenCombine",
      dependencies: [
        "Promises", .product(name: "OpenCombine", package: "OpenCombine", condition: .when(traits: ["OpenCombine"])),
      ], swiftSettings: settings),
    .target(
      name: "CPromiseABI", dependencies: ["CPlatform", "CPromise", "Promises"], exclude: ["exports.map"],
      swiftSettings: engineSettings),

    // The engine and the ABI again, by symbolic links, as Embedded Swift: no Swift runtime on the user's machine.
    .target(
      name: "libpromise", dependencies: ["CLibcFloor", "CPlatform", "CPromise"], exclude: ["CPromiseABI/exports.map"],
      swiftSettings: settings + [
        .enableExperimentalFeature("Embedded"),
        .unsafeFlags(["-wmo"]),
        .unsafeFlags(["-Ounchecked"], .when(configuration: .release)),
        // As C libraries are compiled. SwiftPM asks for frame pointers by the option of the driver, which is weaker.
        .unsafeFlags(["-Xcc", "-Xclang", "-Xcc", "-mframe-pointer=none"], .when(configuration: .release)),
      ],
      linkerSettings: [
        .unsafeFlags([
          // gold leaves hidden symbols in the dynamic table.
          "-use-ld=lld",
          "-Xlinker", "--version-script=\(Context.packageDirectory)/Sources/CPromiseABI/exports.map",
          "-Xlinker", "-soname=libpromise.so.1", "-Xlinker", "-z", "-Xlinker", "nodelete",
          // The C half's is of a form that the valgrinds of today give up on.
          "-Xlinker", "--strip-debug",
          // Before glibc 2.34 threads were there.
          "-Xlinker", "--no-as-needed", "-Xlinker", "-l:libpthread.so.0", "-Xlinker", "--as-needed",
        ])
      ]),

    .systemLibrary(name: "CFFI", pkgConfig: "libffi", providers: [.apt(["libffi-dev"])]),
    .systemLibrary(name: "CYaml", providers: [.apt(["libyaml-dev"])]),
    .systemLibrary(name: "CSQLite", providers: [.apt(["libsqlite3-dev"])]),
    .systemLibrary(name: "CCrypto", providers: [.apt(["libssl-dev"])]),
    .systemLibrary(name: "CSodium", providers: [.apt(["libsodium-dev"])]),
    // Enters plugins, and is entered by them: the only C++, for their exceptions.
    .target(name: "CPluginEdge", dependencies: ["CFFI", "CPromise"]),
    .target(
      name: "PluginRuntime", dependencies: ["CFFI", "CPluginEdge", "CPromise", "CPromiseABI", "Promises"],
      swiftSettings: settings),
    // exit() and its relatives, as plugins of plugin-host meet them.
    .target(name: "CHostExit", dependencies: ["CPluginEdge"]),
    // The C++ runtime of plugins, not at the start but with the first plugin.
    .target(name: "CLateRuntime"),
    // In place of a library that the parser of command lines refers to.
    .target(
      name: "CWithoutFoundation", cSettings: [.define("PLUGIN_HOST_RELEASE", .when(configuration: .release))]),
    .executableTarget(
      name: "plugin-host",
      dependencies: [
        "CCrypto", "CHostExit", "CLateRuntime", "CPluginEdge", "CSodium", "CSQLite", "CWithoutFoundation", "CYaml",
        "PluginRuntime", "Promises",
        .product(name: "ArgumentParser", package: "swift-argument-parser", condition: .when(traits: ["CommandLine"])),
      ],
      exclude: ["host.exports", "host.map"],
      // Calls of plugins are the runtime's; nothing of the command line itself is hot.
      swiftSettings: settings + [.unsafeFlags(["-Osize"], .when(configuration: .release))],
      linkerSettings: [
        // The archives: no library to install beside the program, and none that a plugin could meet.
        .linkedLibrary(":libyaml.a"), .linkedLibrary(":libsqlite3.a"), .linkedLibrary(":libcrypto.a"),
        .linkedLibrary(":libsodium.a"),
        .unsafeFlags(
          ["-Xlinker", "--exclude-libs=libyaml.a:libsqlite3.a:libcrypto.a:libsodium.a"], .when(configuration: .debug)),
        // Plugins meet the host's promise functions. The first flag exports them from an executable, the second keeps
        // all else in: a plugin that brings a libyaml or a Swift runtime of its own must not meet ours.
        .unsafeFlags(
          [
            "-Xlinker", "--dynamic-list=\(Context.packageDirectory)/Sources/plugin-host/host.exports",
            "-Xlinker", "--version-script=\(Context.packageDirectory)/Sources/plugin-host/host.map",
            // Relocations in a sixteenth of the space; gold, the default here, cannot pack them. Equal functions of C
            // whose addresses nothing takes are one, and so are equal ends of strings.
            "-use-ld=lld", "-Xlinker", "-z", "-Xlinker", "pack-relative-relocs", "-Xlinker", "--icf=safe", "-Xlinker",
            "-O2", "-Xlinker", "--wrap=__cxa_get_globals", "-Xlinker", "--wrap=__cxa_get_globals_fast",
          ], .when(configuration: .release)),
        // Everything, in the program of the tests: sanitizers have to export their own functions too.
        .unsafeFlags(["-Xlinker", "--export-dynamic"], .when(configuration: .debug)),
      ]),

    .target(
      name: "PromisesTestSupport", dependencies: ["Promises"], path: "Tests/PromisesTestSupport",
      swiftSettings: settings),
    .testTarget(name: "PromisesTests", dependencies: ["Promises", "PromisesTestSupport"], swiftSettings: settings),
    .testTarget(
      name: "PromisesFoundationTests", dependencies: ["Promises", "PromisesFoundation", "PromisesTestSupport"],
      swiftSettings: settings),
    .testTarget(
      name: "PromisesDiagnosticsTests", dependencies: ["Promises", "PromisesDiagnostics", "PromisesTestSupport"],
      swiftSettings: settings),
    // The engine once more, by a symbolic link, for a scheduler that tries every order of its atomic operations.
    // Optimised in every build, for there are many orders.
    .target(name: "CCoroutines", path: "Tests/CCoroutines"),
    .target(name: "CRaces", path: "Tests/CRaces"),
    .testTarget(
      name: "EngineInterleavings", dependencies: ["CCoroutines", "CPlatform", "CRaces"],
      swiftSettings: settings + [.unsafeFlags(["-O"])]),
    // The specification's call forms once more, as code in Swift 5 mode compiles them.
    .testTarget(
      name: "PromisesSwift5Tests", dependencies: ["Promises"], swiftSettings: settings + [.swiftLanguageMode(.v5)]),
    .testTarget(
      name: "PluginHostTests",
      dependencies: [
        "PluginRuntime", "PromisesTestSupport", "plugin-host",
        .product(name: "ArgumentParser", package: "swift-argument-parser", condition: .when(traits: ["CommandLine"])),
      ],
      exclude: ["Fixtures"],
      swiftSettings: settings),
    // Counts the allocations of the code under test.
    .target(name: "CCountedHeap", path: "Tests/CCountedHeap"),
    // The test program exports promise_*, because plugin-host is linked into it: so the tests can load every kind of
    // plugin.
    .testTarget(
      name: "PluginRuntimeTests",
      dependencies: [
        "CCountedHeap", "CFFI", "CPluginEdge", "CPromise", "PluginRuntime", "Promises", "PromisesTestSupport",
      ],
      swiftSettings: settings),
  ],
  swiftLanguageModes: [.v6],
  cxxLanguageStandard: .cxx17
)

// A package that depends on this one by version gets no command line, which cannot be a dependency anyway for its
// unsafe flags. So it fetches no parser of arguments. SwiftPM reads this file from a repository and then from a
// checkout, or from a download of a registry.
var left: Set<String> = []
let folder = Context.packageDirectory
if folder == "/" || folder.contains("/checkouts/") || folder.contains("/registry/downloads/") {
  left = ["plugin-host", "PluginHostTests"]
  package.dependencies.removeAll { dependency in
    if case .sourceControl(_, let location, _) = dependency.kind {
      location.hasSuffix("/swift-argument-parser")
    } else {
      false
    }
  }
}
// The library Promises and its tests alone, or those of concurrency, for a build under a sanitizer: the other targets
// would take most of its time (scripts/test-threads.sh).
let tests = Context.environment["PROMISES_TESTS"]
if tests == "races" {
  left.formUnion(package.targets.filter { $0.type == .test && $0.name != "PromisesTests" }.map(\.name))
  package.targets.first { $0.name == "PromisesTests" }?.path = "Tests/PromisesTests/Stress"
}
if tests == "library" || tests == "races" {
  left.formUnion([
    "CCountedHeap", "CCoroutines", "CHostExit", "CPluginEdge", "CRaces", "EngineInterleavings", "PluginHostTests",
    "PluginRuntime", "PluginRuntimeTests", "libpromise", "plugin-host", "promise",
  ])
}
package.products.removeAll { left.contains($0.name) }
package.targets.removeAll { left.contains($0.name) }
