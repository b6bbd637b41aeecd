import Foundation
import Testing

extension EndToEnd {
  /// Commands of which a part lacks memory: the message has the limit, and the way to raise it.
  @Suite struct MemoryLimitTests: ~Copyable {
    private static let advice = "RLIMIT_AS is 1073741824: raise the limit (ulimit -v)"
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    /// Runs a command whose memory is limited to 1 GiB.
    private func run(_ arguments: [String]) throws -> HostProcess.Ending {
      try HostProcess.run(under: "-v 1048576", arguments)
    }

    @Test func anAllocationThatFailsIsExplained() throws {
      // No memory is needed for the holes of a file.
      try folder.write("", to: "big")
      let file = try FileHandle(forWritingTo: folder.url.appending(path: "big"))
      try file.truncate(atOffset: 1 << 30)
      try file.close()
      let ending = try run(["call", FixturePlugins.path("kinds"), "text", "x=@\(folder.path("big"))"])
      #expect(ending.status != 0 && ending.errors.contains("if memory has run out: \(Self.advice)"), "\(ending)")
    }

    @Test("a clang that ends without an answer is not one that finds mistakes", arguments: [1, 127])
    func clang(status: Int) throws {
      try folder.write("#!/bin/sh\nexit \(status)\n", to: "clang")
      try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: folder.path("clang"))
      try folder.write("double sin(double x);\n", to: "a.h")
      let ending = try run(["adopt", folder.path("a.h"), "--library", "libm.so.6", "--clang", folder.path("clang")])
      #expect(ending.status == 1 && ending.errors.contains("; if clang lacked memory: \(Self.advice)"), "\(ending)")
      #expect(ending.errors.contains("finds mistakes") == (status == 1), "\(ending)")
      #expect(ending.errors.contains("clang ended with the status 127") == (status == 127), "\(ending)")
    }
  }
}
