import Foundation
import Testing

extension EndToEnd {
  /// Names of values, from the command line, from pipelines, and in descriptions.
  @Suite struct ConstantTests {
    private static let text = """
      library: libc.so.6
      functions:
        - signature: 'abs(number: i32 enum {MINUS = -5, PLUS = 4}) -> i32'
        - signature: 'strlen(text: cstr) -> usize'
        - signature: 'toupper(letter: i32 flags {LOWER = 96, FIRST = 1, SECOND = 2} = FIRST) -> i32'
      """

    private func withFolder(_ body: (URL) throws -> Void) throws {
      let folder = FileManager.default.temporaryDirectory.appending(path: "constants-\(UUID().uuidString)")
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      defer { try? FileManager.default.removeItem(at: folder) }
      try Data(Self.text.utf8).write(to: folder.appending(path: "c.adopt.yaml"))
      try body(folder)
    }

    @Test func aCallTakesNames() throws {
      try withFolder { folder in
        let file = folder.appending(path: "c.adopt.yaml").path
        #expect(try HostProcess.run("call", file, "abs", "MINUS").text == "5\n")
        #expect(try HostProcess.run("call", file, "abs", "number=PLUS").text == "4\n")
        #expect(try HostProcess.run("call", file, "toupper", "LOWER|SECOND").text == "66\n")
        #expect(try HostProcess.run("call", file, "toupper").text == "1\n")
        let wrong = try HostProcess.run("call", file, "abs", "MINOS")
        #expect(wrong.status == 64)
        #expect(wrong.errors.contains("or one of MINUS, PLUS; did you mean \"MINUS\"?\n"), "\(wrong.errors)")
      }
    }

    @Test func aPipelineTakesNames() throws {
      try withFolder { folder in
        let pipeline = folder.appending(path: "p.yaml")
        func run(_ name: String) throws -> HostProcess.Ending {
          let text = "{plugins: [./c.adopt.yaml], steps: {a: {call: c.toupper, with: {letter: \(name)}}}}"
          try Data(text.utf8).write(to: pipeline)
          return try HostProcess.run("run", "--progress", "off", pipeline.path)
        }
        #expect(try run("LOWER|FIRST").text == "65\n")
        let wrong = try run("UPPER")
        #expect(wrong.status == 64)
        #expect(wrong.errors.contains("\"letter\" is \"UPPER\", expected"), "\(wrong.errors)")
      }
    }

    @Test func descriptionsHaveThem() throws {
      try withFolder { folder in
        let file = folder.appending(path: "c.adopt.yaml").path
        let help = try HostProcess.run("call", file, "abs", "--help").text
        #expect(help.contains("number  i32 enum {MINUS = -5, PLUS = 4}"), "\(help)")
        let json = try HostProcess.run("inspect", "--json", file).text
        #expect(json.contains(#"{"enum":["MINUS","PLUS"]}"#), "\(json)")
      }
    }
  }
}
