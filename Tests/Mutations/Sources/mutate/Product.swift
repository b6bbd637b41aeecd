import ArgumentParser
import Foundation
import Mutating

/// A product that is built with mutations, and the tests that judge them.
enum Product: String, CaseIterable, ExpressibleByArgument {
  /// libpromise.so, judged by the C programs of Tests/ABI.
  case library
  /// The engine under the scheduler of Tests/EngineInterleavings, for rows that name its tests.
  case interleavings
  /// Tests of `interleavings` with the memory model of Tests/CRaces, for memory orderings.
  case orderings
  /// The engine and the ABI under ThreadSanitizer, for memory orderings that the model does not reach.
  case threads
  /// The Swift packages, judged by their test bundle.
  case bundle
  /// The adapters to other packages, with the tests of Tests/Adapters.
  case adapters

  /// Whether the product's tests judge a mutation: those that its row names, or those for the folder of its file. With
  /// `isOnly`, no other product judges: then the Swift tests judge each generated mutation, and ThreadSanitizer each
  /// ordering.
  func judges(_ mutation: Mutation, _ row: Row?, isOnly: Bool) -> Bool {
    if let test = row?.tests.first { return self == Self.running(test) }
    if isOnly && row == nil && (self == .bundle || self == .threads && mutation.kind == .ordering) { return true }
    let isLibrary = ["Sources/Promises/Engine/", "Sources/CPromiseABI/", "Sources/CPlatform/"].contains {
      mutation.file.hasPrefix($0)
    }
    let isAdapter = ["Logging", "Metrics", "OpenCombine", "Tracing"].contains {
      mutation.file.hasPrefix("Sources/Promises\($0)/")
    }
    return self == (isAdapter ? .adapters : !isLibrary ? .bundle : mutation.kind == .ordering ? .orderings : .library)
  }

  /// Returns the product that has a test named by a row.
  static func running(_ test: String) -> Product {
    switch test.prefix(while: { $0 != "/" && $0 != "." }) {
    case "ABI": .library
    case "EngineInterleavings": .interleavings
    case "Orderings": .orderings
    case "Threads": .threads
    case "AdapterTests": .adapters
    default: .bundle
    }
  }

  /// Returns the targets of the tests that can reach all of these mutations; nil: any may.
  func judges(of mutations: [Mutation]) -> [String]? {
    let plugins = ["PluginRuntime", "plugin-host", "CPluginEdge", "CHostExit"].map { "Sources/\($0)/" }
    guard self == .bundle, mutations.allSatisfy({ one in plugins.contains { one.file.hasPrefix($0) } }) else {
      return nil
    }
    return ["PluginRuntimeTests", "PluginHostTests"]
  }

  /// The product that judges the mutations that this one's tests do not notice.
  var second: Product? {
    switch self {
    // The C programs reach no closures of the Swift layer.
    case .library: .bundle
    // The model follows cells alone.
    case .orderings: .threads
    default: nil
    }
  }

  func buildCommand(_ workspace: Workspace, jobs: Int) -> [String] {
    let package = self == .adapters ? workspace.tree.appending(path: "Tests/Adapters") : workspace.tree
    let common = [
      "swift", "build", "--jobs", String(jobs), "--package-path", package.path, "--scratch-path",
      scratch(workspace).path,
    ]
    switch self {
    case .library: return common + ["-c", "release", "--product", "promise"]
    case .interleavings, .bundle, .adapters: return common + ["--build-tests"]
    case .orderings:
      return [
        "env", "SOURCES=\(workspace.tree.path)", "OUT=\(scratch(workspace).path)",
        workspace.root.appending(path: "scripts/test-orderings.sh").path, "--build",
      ]
    // The script runs the programs, too.
    case .threads:
      return ABIPrograms.unlimited + [
        "env", "SOURCES=\(workspace.tree.path)", "OUT=\(scratch(workspace).path)",
        workspace.root.appending(path: "scripts/sanitize-abi.sh").path, "thread", ABIPrograms.underThreadSanitizer,
      ]
    }
  }

  func scratch(_ workspace: Workspace) -> URL { workspace.folder.appending(path: rawValue) }

  /// Returns the tests, ready to run. `named` are the tests that rows name.
  func suite(_ workspace: Workspace, named: [String], jobs: Int) throws -> [TestUnit] {
    switch self {
    case .library: return try ABIPrograms(workspace).units(jobs: jobs)
    case .threads: return try ABIPrograms(workspace).threadUnits()
    case .interleavings, .orderings, .bundle, .adapters: return try TestBundle(workspace, self).units(named: named)
    }
  }
}

/// A test that can be run alone.
struct TestUnit: Sendable {
  let name: String
  let command: [String]
  let environment: [String: String]
  /// The files that it runs; empty: not known.
  var files: [String] = []
  /// The tests of a suite, each alone.
  var parts: [TestUnit] = []
  /// Whether each failure is a line of the output, as for Swift Testing. The run then ends at the first failure.
  var reportsFailures = false

  /// Whether the name contains one of the texts; true without texts.
  func isAmong(_ texts: [String]) -> Bool { texts.isEmpty || texts.contains { name.contains($0) } }
}
