import PluginRuntime
import Testing

@testable import plugin_host

@Suite struct CommandLineArgumentsTests {
  private func signature() throws -> Signature {
    try Signature(parsing: "pack(data: bytes, level: i32 = 6, note: str = \"\") -> own bytes !")
  }

  /// The arguments for the words, as `name=text`, or only the text where there is no name.
  private func arguments(_ words: String...) throws -> [String] {
    try CommandLineArguments.arguments(words, for: signature()).map { argument in
      guard case .text(let text) = argument.content else { return "\(argument.content)" }
      return (argument.name.map { $0 + "=" } ?? "") + text
    }
  }

  @Test func namesAreParametersNames() throws {
    #expect(try arguments("data=x=y", "level=-9", "none=5", "=", "a") == ["data=x=y", "level=-9", "none=5", "=", "a"])
    let parsed = try CommandLineArguments.arguments(["data=x=y", "none=5"], for: signature())
    #expect(parsed.map(\.name) == ["data", nil])
  }

  @Test func dashes() throws {
    #expect(try arguments("x", "-5", "-1.5e3", "-inf") == ["x", "-5", "-1.5e3", "-inf"])
    #expect(try arguments("x", "--", "-v", "--") == ["x", "-v", "--"])
    #expect(try arguments("note=-v", "note=\\-", "\\@x") == ["note=-v", "note=-", "@x"])
    for word in ["-v", "--level=3", "-5x"] {
      let message = "unknown option \(word); before arguments that begin with a dash, write --"
      #expect(throws: Failure(.usage, message)) { try arguments("x", word) }
    }
  }

  @Test func readsFiles() throws {
    let arguments = try CommandLineArguments.arguments(["@/dev/null", "note=@/dev/null"], for: signature())
    for argument in arguments {
      guard case .contents(let bytes) = argument.content else {
        Issue.record("\(argument)")
        continue
      }
      #expect(bytes == [])
    }
  }

  @Test func standardInputIsReadOnce() {
    #expect(throws: Failure(.usage, "standard input can be read once, but two arguments are -")) {
      try CommandLineArguments.arguments(["note=@-", "data=-"], for: signature())
    }
  }

  @Test func hintsAtMistypedNames() throws {
    #expect(CommandLineArguments.hint(["levle=3"], for: try signature()) == "; did you mean \"level\"?")
    #expect(CommandLineArguments.hint(["level=3", "zzzzzz=3", "x"], for: try signature()) == "")
  }
}
