import Foundation

/// The programs of Tests/ABI, built against the library with the mutations, or with it under ThreadSanitizer.
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
    let programs = built.output.split(separator: "\n").map { ("ABI/\($0)", out.appending(path: String($0)).path) }
    return try units(programs, environment, [library.path])
  }

  /// The program whose tests need ThreadSanitizer to fail.
  static let underThreadSanitizer = "publishing"
  /// Runs a command without a limit of its memory: ThreadSanitizer reserves 32 TiB.
  static let unlimited = ["prlimit", "--data=unlimited"]

  /// Returns a unit for each test of that program, which the build has made.
  func threadUnits() throws -> [TestUnit] {
    let path = Product.threads.scratch(workspace).appending(path: "programs/built/clang/\(Self.underThreadSanitizer)")
    return try units([("Threads/\(Self.underThreadSanitizer)", path.path)], ["CHECK_FORK": "0"], [], Self.unlimited)
  }

  private func units(
    _ programs: [(name: String, path: String)], _ environment: [String: String], _ files: [String],
    _ runner: [String] = []
  ) throws -> [TestUnit] {
    var units: [TestUnit] = []
    for (program, path) in programs {
      let command = runner + [path]
      let listed = try Command.capture(
        ["timeout", "-s", "KILL", "20"] + command, environment: environment.merging(["CHECK_LIST": "1"]) { $1 })
      let tests = listed.output.split(separator: "\n").filter { $0.wholeMatch(of: /[A-Za-z_][A-Za-z0-9_]*/) != nil }
      guard listed.status == 0, !tests.isEmpty else { throw Failure("\(program) does not list its tests") }
      units += tests.map {
        TestUnit(
          name: "\(program).\($0)", command: command,
          environment: environment.merging(["CHECK_ONLY": String($0)]) { $1 }, files: [path] + files)
      }
    }
    return units
  }
}
