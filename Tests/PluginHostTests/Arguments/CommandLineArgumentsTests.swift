import PluginRuntime
import Testing

@testable import plugin_host

@Suite struct CommandLineArgumentsTests {
  private func signature() throws -> Signature {
    try Signature(parsing: "pack(data: bytes, level: i32 = 6, note: str = \"\") -> own bytes !")
  }

  private func parse(_ words: [String], texts: [VariableSetting] = []) throws -> [Argument] {
    try CommandLineArguments.arguments(words, texts: texts, for: signature()) { _, name, _ throws(Failure) in
      throw Failure(.usage, "\(name) is no callback")
    }
  }

  /// Returns the arguments for the words, as `name=text`, or only the text of an argument without a name.
  private func arguments(_ words: String...) throws -> [String] {
    try parse(words).map { argument in
      guard case .text(let text) = argument.content else { return "\(argument.content)" }
      return (argument.name.map { $0 + "=" } ?? "") + text
    }
  }

  @Test func namesAreParametersNames() throws {
    #expect(try arguments("data=x=y", "level=-9", "=", "a", "a/b=c") == ["data=x=y", "level=-9", "=", "a", "a/b=c"])
    let parsed = try parse(["data=x=y", "a b=5"])
    #expect(parsed.map(\.name) == ["data", nil])
    // A combining character after the sign belongs to the value.
    #expect(try arguments("note=\u{301}a") == ["note=\u{301}a"])
  }

  @Test func dashes() throws {
    #expect(try arguments("x", "-5", "-1.5e3", "-inf") == ["x", "-5", "-1.5e3", "-inf"])
    #expect(try arguments("x", "--", "-v", "--", "@f", "-", "level=3") == ["x", "-v", "--", "@f", "-", "level=3"])
    let parsed = try parse(["--", "level=@f"])
    #expect(parsed.map(\.name) == [nil])
    #expect(try arguments("note=-v", "note=\\-", "\\@x") == ["note=-v", "note=-", "@x"])
    for word in ["-v", "--level=3", "-5x"] {
      let message = "unknown option \(word); before arguments that begin with a dash, write --"
      #expect(throws: Failure(.usage, message)) { try arguments("x", word) }
    }
  }

  @Test func readsFiles() throws {
    let arguments = try parse(["@/dev/null", "note=@/dev/null"])
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
      try parse(["note=@-", "data=-"])
    }
  }

  @Test func textsByNameAreTakenAsTheyAre() throws {
    // A mark makes one character with the sign before it.
    let texts = [try VariableSetting(option: "note=\u{301}@f=-"), try VariableSetting(option: "data=-")]
    let arguments = try parse([], texts: texts)
    #expect(arguments.map(\.name) == ["note", "data"])
    guard case .text("\u{301}@f=-") = arguments[0].content, case .text("-") = arguments[1].content else {
      Issue.record("\(arguments)")
      return
    }
  }

  @Test("a name with a hyphen is refused if it may stand for a parameter; otherwise the word is a value")
  func hyphens() throws {
    let signature = try Signature(parsing: "take(text: str, max_count: i32 = 6) -> str")
    for word in ["max-count=3", "max-cuont=3", "te-xt=3"] {
      let failure = #expect(throws: Failure.self) {
        try CommandLineArguments.arguments([word], for: signature, callback: nil)
      }
      let name = word.hasPrefix("max") ? "max_count" : "text"
      #expect(failure?.lines.first?.hasSuffix("\"; did you mean \"\(name)\"?") == true, "\(failure?.lines ?? [])")
    }
    for word in ["a-b=c", "Content-Type=x", "https://x.org/?max-count=3", "max-count"] {
      let arguments = try CommandLineArguments.arguments([word], for: signature, callback: nil)
      guard case .text(word)? = arguments.first?.content else {
        Issue.record("\(word): \(arguments)")
        continue
      }
    }
    let verbatim = try CommandLineArguments.arguments(["--", "max-count=3"], for: signature, callback: nil)
    #expect(verbatim.map(\.name) == [nil])
  }

  @Test(arguments: [
    (["levle=3"], "\"levle\"; did you mean \"level\"?"), (["level=3", "zzzzzz=3", "x"], "\"zzzzzz\""),
  ])
  func refusesMistypedNames(words: [String], part: String) throws {
    let failure = try #require(
      throws: Failure.self, performing: { try parse(words) })
    #expect(failure.status == .usage)
    #expect(failure.lines.first == "plugin-host: pack has no parameter \(part)")
  }
}

@Suite struct RawTextTests {
  @Test(arguments: [
    [], [0x61], [0xE9], Array("caf\u{E9}".utf8), [0x63, 0xE9, 0x80, 0x61], Array("\u{FFFF}".utf8),
    Array("\u{FFFF}\u{E9}".utf8), [0xEF, 0xBF, 0xBF, 0xFF], [0xF0, 0x9F, 0x98], [0xED, 0xA0, 0x80], [0xC0, 0x80],
  ])
  func carriesEveryByte(bytes: [UInt8]) {
    let text = RawText.text(bytes)
    #expect(RawText.bytes(of: text) == bytes)
    #expect(RawText.isText(text) == (String(validating: bytes, as: UTF8.self) != nil))
  }
}
