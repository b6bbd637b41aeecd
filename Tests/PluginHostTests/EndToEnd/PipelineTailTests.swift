import Foundation
import Testing

extension EndToEnd {
  /// The arguments of variadic functions in pipelines.
  @Suite struct PipelineTailTests {
    private func run(_ steps: String, _ options: String...) throws -> HostProcess.Ending {
      let file = try PipelineFile("plugins: [libc, sqlite, ./unnamed.adopt.yaml]\n\(steps)\n")
      let unnamed = """
        library: libsqlite3.so.0
        functions: ['sqlite3_mprintf(format: cstr = "%s", ...: i32 | f64 | cstr) -> own(sqlite3_free) cstr ! null']
        """
      try Data(unnamed.utf8).write(to: file.folder.appending(path: "unnamed.adopt.yaml"))
      return try HostProcess.run(["run", "--plugins", Package.adopted, "--progress", "off"] + options + [file.path])
    }

    @Test(arguments: ["in-process", "process"])
    func theyAreAListByTheNameOfTheTail(place: String) throws {
      let ending = try run(
        """
        set: {name: "it's"}
        steps:
          seven: {call: libc.abs, with: {number: -7}}
          list:
            call: libc.snprintf
            with: {format: "%05d|%s|%.2f|%s|%d", arguments: [{step: seven}, "${name}", 1.5, "7", "${steps.seven}"]}
          quoted:
            call: sqlite.sqlite3_mprintf
            each: [a, b]
            with: {format: "%Q %lld", arguments: ["${item}", "${index}"]}
          none: {call: sqlite.sqlite3_mprintf, with: {format: none}}
        result: {text: {step: list, get: text}, quoted: quoted, none: none}
        """, "--isolation", place)
      #expect(
        ending.text == #"{"text":"00007|it's|1.50|7|7","quoted":["'a' 0","'b' 1"],"none":"none"}"# + "\n",
        "\(ending.errors)")
    }

    @Test func withoutANameTheTailIsDots() throws {
      let ending = try run(
        """
        steps:
          one: {call: unnamed.sqlite3_mprintf, with: {"...": [text]}}
          two: {call: unnamed.sqlite3_mprintf, with: {format: "%d %.1f %s", "...": [1, 2.0, three]}}
        result: [one, two]
        """)
      #expect(ending.text == #"{"one":"text","two":"1 2.0 three"}"# + "\n", "\(ending.errors)")
    }

    @Test(arguments: [
      ("{step: texts}", #""a and b""#, ""), (#"'["a", "b"]'"#, #""a and b""#, ""),
      ("{step: seven}", "", "\"arguments\" is &[value], but the step \"seven\" returns i32"),
      ("{a: 1}", "", "\"arguments\" is a mapping, expected"),
      ("[x, {a: b}]", "", "argument 'arguments[1]' is a value of type map, expected i64 or f64 or cstr"),
    ])
    func aListIsExpected(given: String, text: String, mistake: String) throws {
      let ending = try run(
        """
        steps:
          seven: {call: libc.abs, with: {number: -7}}
          texts: {call: sqlite.sqlite3_mprintf, each: [a, b], with: {format: "%s", arguments: ["${item}"]}}
          all: {call: sqlite.sqlite3_mprintf, with: {format: "%s and %s", arguments: \(given)}}
        """)
      if mistake.isEmpty {
        #expect(ending.text == text + "\n", "\(ending.errors)")
      } else {
        #expect(ending.errors.contains(mistake), "\(ending.errors)")
        #expect(ending.status != 0)
      }
    }

    @Test("the command line and sessions have a list by the name of the tail, too")
    func commandLine() throws {
      let folder = try TemporaryFolder()
      try folder.write(
        """
        library: libsqlite3.so.0
        functions: ['sqlite3_mprintf(format: cstr = "%s", ...: i32 | f64 | cstr) -> own(sqlite3_free) cstr ! null']
        """, to: "u.adopt.yaml")
      let words = ["format=%d %s", "...=[1,\"a\"]"]
      let call = try HostProcess.run(["call", folder.path("u.adopt.yaml"), "sqlite3_mprintf"] + words)
      #expect(call.text == "\"1 a\"\n" && call.status == 0, "\(call)")
      let line = "u.sqlite3_mprintf format='%d %s' ...='[1,\"a\"]'\n"
      let shell = try HostProcess.run("shell", "--plugins", folder.url.path, input: line)
      #expect(shell.text == "\"1 a\"\n" && shell.status == 0, "\(shell)")
      // A function with another tail, or without one, takes the word as a value.
      #expect(try HostProcess.run("call", "kinds", "text", "...=x").text == "\"...=x\"\n")
    }
  }
}
