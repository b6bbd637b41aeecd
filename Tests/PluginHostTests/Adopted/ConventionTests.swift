import Foundation
import Testing

extension EndToEnd {
  /// Errors, arrays and memory of real libraries, from the command line.
  @Suite struct ConventionTests {
    private static let hasGLib = ["/usr/lib", "/lib", "/usr/lib64"].contains { folder in
      let names = ["", "/x86_64-linux-gnu", "/aarch64-linux-gnu"].map { "\(folder)\($0)/libglib-2.0.so.0" }
      return names.contains { FileManager.default.fileExists(atPath: $0) }
    }

    private func call(_ words: String...) throws -> HostProcess.Ending {
      let host = try HostProcess(["call", "--plugins", Package.adopted] + words)
      try host.process.run()
      return try host.wait()
    }

    @Test func anErrorOfSQLiteIsItsOwnText() throws {
      let ending = try call("sqlite", "sqlite3_open", "/nonexistent/database")
      #expect(ending.status == 1)
      #expect(ending.errors == "plugin-host: sqlite.sqlite3_open: unable to open database file (org.sqlite 14)\n")
      let script = try HostProcess.run(
        "shell", "--plugins", Package.adopted,
        input: """
          db = sqlite.sqlite3_open :memory:
          statement = sqlite.sqlite3_prepare_v2 $db "select abs(-9223372036854775808)"
          sqlite.sqlite3_step $statement

          """)
      #expect(script.errors.contains("sqlite.sqlite3_step: integer overflow (org.sqlite 1)"), "\(script.errors)")
    }

    @Test func aCodeOfZlibIsItsOwnText() throws {
      let ending = try call("zlib", "uncompress", "packed=no", "room=10")
      #expect(ending.errors == "plugin-host: zlib.uncompress: data error (net.zlib -3)\n")
    }

    @Test(.enabled("GLib is not installed") { hasGLib })
    func glibGivesErrorsAndArrays() throws {
      let missing = try call("glib", "g_file_get_contents", "/nonexistent")
      #expect(missing.status == 1)
      #expect(missing.errors.contains("No such file or directory (g-file-error-quark 4)"), "\(missing.errors)")
      #expect(try call("glib", "g_file_get_contents", "/dev/null").text == #"{"contents":""}"# + "\n")
      #expect(try call("glib", "g_strsplit", "a,b,é", ",").text == #"["a","b","é"]"# + "\n")
      #expect(try call("glib", "g_strjoinv", "+", #"["a","b"]"#).text == "\"a+b\"\n")
      let words = try call("glib", "g_shell_parse_argv", "a 'b c'")
      #expect(words.text == #"{"count":2,"words":["a","b c"]}"# + "\n", "\(words.errors)")
      #expect(try call("glib", "g_shell_parse_argv", "'a").errors.contains("matching quote"))
      #expect(try call("glib", "g_base64_decode", "text=aGk=").text == "\"aGk=\"\n")
    }
  }
}
