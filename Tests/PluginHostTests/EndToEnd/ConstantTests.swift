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
      let folder = try TemporaryFolder()
      try folder.write(Self.text, to: "c.adopt.yaml")
      try body(folder.url)
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

    @Test("a constant of a library may be hexadecimal, as arguments may, and is not octal by a zero")
    func ofALibrary() throws {
      try withFolder { folder in
        let file = folder.appending(path: "d.adopt.yaml").path
        func call(_ constants: String, _ name: String) throws -> HostProcess.Ending {
          let text = "library: libc.so.6\nconstants: {\(constants)}\nfunctions: ['llabs(x: i64) -> i64']\n"
          try Data(text.utf8).write(to: URL(filePath: file))
          return try HostProcess.run("call", file, "llabs", name)
        }
        #expect(try call("A: 0x10, B: -0x7fffffffffffffff, Z: 0, M: 0xffffffffffffffff", "A").text == "16\n")
        #expect(try call("A: 0x10, B: -0x7fffffffffffffff", "B").text == "9223372036854775807\n")
        for octal in ["010", "-010", "00"] {
          let wrong = try call("A: \(octal)", "A")
          #expect(wrong.errors.contains("A: \(octal) would be octal in C; write it as decimal or 0x"), "\(wrong)")
          #expect(wrong.status == 2)
        }
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
