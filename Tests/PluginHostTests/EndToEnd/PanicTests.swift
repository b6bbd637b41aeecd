import Foundation
import Glibc
import Testing

extension EndToEnd {
  /// Panics of a library that a real compiler of Rust built.
  @Suite(.enabled(if: PanickingLibrary.path != nil, "rustc is not installed"))
  struct PanicTests {
    private func call(_ options: [String], _ signature: String, _ values: String...) throws -> HostProcess.Ending {
      let library = try #require(PanickingLibrary.path)
      return try HostProcess.run(
        ["call"] + options + ["--signature", signature, library] + values,
        environment: ["SWIFT_BACKTRACE": "enable=no", "RUST_BACKTRACE": "0"])
    }

    @Test(arguments: [[], ["--isolation", "in-process"], ["--isolation", "process"]])
    func aPanicThatPassesIsARejection(options: [String]) throws {
      let ending = try call(options, "passes(number: i32) -> i32", "7")
      #expect(ending.status == 1 && ending.text == "")
      #expect(
        ending.errors.contains("plugin-host: libpanicking.passes: threw an exception of Rust\n"), "\(ending.errors)")
      #expect(try call(options, "passes(number: i32) -> i32", "8").text == "4\n")
    }

    @Test func aPanicThatCannotPassIsANamedAbort() throws {
      let ending = try call(["--isolation", "in-process"], "aborts()")
      #expect(ending.signal == SIGABRT)
      #expect(
        ending.errors.contains("libpanicking.aborts: SIGABRT in this call: the process ends\n"), "\(ending.errors)")
    }

    @Test func inAWorkerItIsARejection() throws {
      let ending = try call(["--isolation", "process"], "aborts()")
      #expect(ending.status == 1)
      let last = ending.errors.split(separator: "\n").last ?? ""
      #expect(last.hasPrefix("plugin-host: libpanicking.aborts: ") && last.contains("SIGABRT"), "\(ending.errors)")
    }
  }
}

/// `Fixtures/panicking.rs`, compiled once for the whole run.
private enum PanickingLibrary {
  /// The path of the library; nil without a compiler.
  static let path: String? = {
    let folders = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
    guard folders.contains(where: { FileManager.default.isExecutableFile(atPath: "\($0)/rustc") }) else { return nil }
    let source = Package.fixtures.appending(path: "panicking.rs").path
    let folder = FixturePlugins.folder.appending(path: "panicking")
    let library = folder.appending(path: "libpanicking.so").path
    do {
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      try Package.run(
        "rustc", ["--edition", "2021", "--crate-type", "cdylib", "-C", "panic=unwind", "-o", library, source])
    } catch {
      fatalError("the fixture library in Rust cannot be built: \(error)")
    }
    return library
  }()
}
