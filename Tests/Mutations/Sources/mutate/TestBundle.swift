import Foundation

/// The bundle of the Swift tests.
struct TestBundle {
  let workspace: Workspace
  let product: Product

  init(_ workspace: Workspace, _ product: Product) {
    self.workspace = workspace
    self.product = product
  }

  private var path: String {
    let package = product == .adapters ? "adapters" : "promises"
    return product.scratch(workspace)
      .appending(path: product == .orderings ? "tests" : "debug/\(package)PackageTests.xctest").path
  }

  /// Returns a unit for each suite, for each test outside a suite, and for each test in a suite that is named; one for
  /// each test of the interleavings.
  func units(named: [String]) throws -> [TestUnit] {
    let listed = try Command.capture([path, "--testing-library", "swift-testing", "--list-tests"])
    guard listed.status == 0 else { throw Failure("the test bundle does not list its tests:\n\(listed.output)") }
    // Target.Suite/Suite/test(): the suite is all but the last part.
    var names: [String] = []
    var parts: [String: [String]] = [:]
    for line in listed.output.split(separator: "\n") where line.contains("(") {
      let path = line.split(separator: "/")
      let isInSuite = path.count > 1 && [.bundle, .adapters].contains(product)
      let suite = isInSuite ? [path.dropLast().joined(separator: "/")] : []
      let test = !isInSuite || named.contains(String(line)) ? [String(line)] : []
      for name in suite + test where !names.contains(name) { names.append(name) }
      if let suite = suite.first { parts[suite, default: []].append(String(line)) }
    }
    return names.map { unit($0, parts: parts[$0, default: []].map { unit($0) }) }
  }

  private func unit(_ name: String, parts: [TestUnit] = []) -> TestUnit {
    TestUnit(
      name: name,
      command: [
        path, "--testing-library", "swift-testing", "--filter",
        "^" + NSRegularExpression.escapedPattern(for: name) + "(/|$)",
      ],
      // A trace of a large program takes longer than all its tests.
      environment: ["SWIFT_BACKTRACE": "enable=no"],
      files: [path, product.scratch(workspace).appending(path: "debug/plugin-host").path], parts: parts,
      reportsFailures: true)
  }
}
