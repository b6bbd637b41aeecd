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
    product.scratch(workspace).appending(path: "debug/promisesPackageTests.xctest").path
  }

  /// Returns a unit for each suite, for each test outside a suite, and for each test in a suite that is named; one for
  /// each test of the interleavings.
  func units(named: [String]) throws -> [TestUnit] {
    let listed = try Command.capture([path, "--testing-library", "swift-testing", "--list-tests"])
    guard listed.status == 0 else { throw Failure("the test bundle does not list its tests:\n\(listed.output)") }
    // Target.Suite/Suite/test(): the suite is all but the last part.
    var names: [String] = []
    for line in listed.output.split(separator: "\n") where line.contains("(") {
      let parts = line.split(separator: "/")
      let isInSuite = parts.count > 1 && product == .bundle
      let suite = isInSuite ? [parts.dropLast().joined(separator: "/")] : []
      let test = !isInSuite || named.contains(String(line)) ? [String(line)] : []
      for name in suite + test where !names.contains(name) { names.append(name) }
    }
    return names.map { name in
      TestUnit(
        name: name,
        command: [
          path, "--testing-library", "swift-testing", "--filter",
          "^" + NSRegularExpression.escapedPattern(for: name) + "(/|$)",
        ], environment: [:])
    }
  }
}
