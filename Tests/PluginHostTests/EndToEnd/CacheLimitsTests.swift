import Foundation
import Testing

@testable import plugin_host

extension EndToEnd {
  /// Results that the cache cannot hold, and libraries that it cannot read.
  @Suite struct CacheLimitsTests: ~Copyable {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func run(_ steps: String, environment: [String: String] = [:]) throws -> HostProcess.Ending {
      try folder.write("plugins: [kinds]\nsteps:\n\(steps)\n", to: "p.yaml")
      return try HostProcess.run("run", "--cache", folder.path("c.db"), folder.path("p.yaml"), environment: environment)
    }

    /// SQLite refuses a value of more than 10^9 bytes; a trigger makes one.
    @Test("a result that the cache cannot hold is not kept, and others are")
    func largeResults() throws {
      let first = "  a: {call: kinds.tiny, pure: true}"
      #expect(try run(first).status == 0)
      let trigger = """
        delete from results;
        create trigger large before insert on results when new.step = 'a' begin select zeroblob(2000000000); end
        """
      try Package.run("sqlite3", [folder.path("c.db"), trigger])
      for count in 0..<2 {
        let ending = try run(first + "\n  b: {call: kinds.text, after: a, pure: true}")
        let warning = "plugin-host: warning: a: its result is too large for the cache, and is not kept\n"
        #expect(ending.text == "\"none\"\n" && ending.errors.contains(warning), "\(ending)")
        #expect(!ending.errors.contains("is not used"), "\(ending)")
        #expect(ending.errors.contains("from the cache") == (count > 0), "\(ending)")
      }
    }

    @Test("a library that is too large to be read ends the cache for its plugins alone, with one warning for each")
    func largeLibraries() throws {
      let library = folder.path("large.so")
      try FileManager.default.copyItem(
        atPath: FixturePlugins.folder.appending(path: "Preloaded/full.so").path, toPath: library)
      truncate(library, off_t(FileBytes.longest) + 1)
      let ending = try run(
        "  a: {call: kinds.tiny, pure: true, each: [1, 2], with: {x: 1}}", environment: ["LD_PRELOAD": library])
      let warning =
        "plugin-host: warning: org.example.kinds: no result of it is kept: a library of it has more than "
        + "\(FileBytes.longest) bytes\n"
      #expect(ending.text == "[1,1]\n" && ending.errors.contains(warning), "\(ending)")
      #expect(ending.errors.components(separatedBy: "warning").count == 2, "\(ending)")
    }
  }
}
