import Foundation

/// The programs of Tests/ABI, built against the library with the mutations.
struct ABIPrograms {
  let workspace: Workspace
  init(_ workspace: Workspace) { self.workspace = workspace }

  /// Returns a unit for each test of each program.
  func units(jobs: Int) throws -> [TestUnit] {
    let out = workspace.folder.appending(path: "programs")
    let library = Product.library.scratch(workspace).appending(path: "release/libpromise.so")
    let built = try Command.capture(
      [workspace.root.appending(path: "scripts/build-abi-programs.sh").path],
      environment: ["LIBRARY": library.path, "OUT": out.path, "JOBS": String(jobs)])
    guard built.status == 0 else { throw Failure("the programs of Tests/ABI do not build:\n\(built.output)") }
    let environment = [
      "LD_LIBRARY_PATH": out.appending(path: "prefix/lib").path, "CHECK_COPY": out.appending(path: "copy.so").path,
      "CHECK_OBJECTS": out.path,
    ]
    var units: [TestUnit] = []
    for program in built.output.split(separator: "\n").map(String.init) {
      let path = out.appending(path: program).path
      let listed = try Command.capture(
        ["timeout", "-s", "KILL", "20", path], environment: environment.merging(["CHECK_LIST": "1"]) { $1 })
      let tests = listed.output.split(separator: "\n").filter { $0.wholeMatch(of: /[A-Za-z_][A-Za-z0-9_]*/) != nil }
      guard listed.status == 0, !tests.isEmpty else { throw Failure("\(program) does not list its tests") }
      units += tests.map {
        TestUnit(
          name: "ABI/\(program).\($0)", command: [path],
          environment: environment.merging(["CHECK_ONLY": String($0)]) { $1 }, files: [path, library.path])
      }
    }
    return units
  }
}
