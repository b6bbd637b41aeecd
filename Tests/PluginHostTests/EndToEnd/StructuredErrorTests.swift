import Foundation
import Testing

extension EndToEnd {
  /// Failures for programs: JSON on standard error with `--format json`.
  @Suite struct StructuredErrorTests {
    private static let folder = (0..<4).reduce(URL(filePath: #filePath)) { url, _ in url.deletingLastPathComponent() }
      .appending(path: "examples/adopted").path

    private func error(_ words: String...) throws -> (status: Int32?, members: [String: Any]) {
      let host = try HostProcess(["call", "--plugins", Self.folder, "--format", "json"] + words)
      try host.process.run()
      let ending = try host.wait()
      #expect(ending.text == "")
      let object = try JSONSerialization.jsonObject(with: Data(ending.errors.utf8)) as? [String: [String: Any]]
      return (ending.status, try #require(object?["error"], "\(ending.errors)"))
    }

    @Test func aRejectionHasItsDomainAndCode() throws {
      let (status, error) = try error("sqlite", "sqlite3_open", "/nonexistent/file")
      #expect(status == 1)
      #expect(error["kind"] as? String == "rejected" && error["status"] as? Int == 1)
      #expect(error["plugin"] as? String == "org.sqlite" && error["function"] as? String == "sqlite3_open")
      #expect(error["domain"] as? String == "org.sqlite" && error["code"] as? Int == 14)
      #expect(error["message"] as? String == "unable to open database file")
    }

    @Test func otherFailuresSayWhatTheyAre() throws {
      let usage = try error("libm", "pow", "x", "2")
      #expect(usage.status == 64 && usage.members["kind"] as? String == "usage")
      #expect((usage.members["message"] as? String)?.contains("expected a number") == true, "\(usage.members)")
      let unknown = try error("libm", "pov")
      #expect((unknown.members["message"] as? String)?.contains("did you mean \"pow\"?") == true, "\(unknown.members)")
      let missing = try error("./none.so", "f")
      #expect(missing.status == 2 && missing.members["kind"] as? String == "notLoaded")
    }

    @Test func withoutTheOptionFailuresAreText() throws {
      let ending = try HostProcess.run("call", "--plugins", Self.folder, "libm", "pow", "x", "2")
      #expect(ending.errors.hasPrefix("plugin-host: libm.pow: "))
    }
  }
}
