import Foundation
import Testing

extension EndToEnd {
  /// The parts and the forms in which `call` prints a result.
  @Suite struct CallResultTests {
    @Test(arguments: [
      (["--get", "half", "kinds", "split", "0.2"], "0.1\n"), (["kinds", "split", "0.2", "--get=result"], "1\n"),
      (["--get", "x", "kinds", "mixed", "0.1", "2"], "0.1\n"),
      (["--raw", "--get", "[1].a", "kinds", "anything", "[0,{\"a\":\"b\"}]"], "b"),
      (["--plugins", Package.adopted, "--raw", "--get", "text", "libc", "snprintf", "room=64", "%s!", "hi"], "hi!"),
      (
        ["--plugins", Package.adopted, "--raw", "--get", "data", "zlib", "uncompress", "packed=@\(deflated)"],
        "hello, hello"
      ),
    ])
    func aPartOfTheResultIsPrinted(words: [String], expected: String) throws {
      try Self.deflate("hello, hello")
      let ending = try HostProcess.run(["call"] + words)
      #expect(ending.text == expected, "\(ending.errors)")
      #expect(ending.errors == "" && ending.status == 0)
    }

    private static let deflated = FixturePlugins.folder.appending(path: "deflated").path

    /// Writes the bytes that zlib makes of a text.
    private static func deflate(_ text: String) throws {
      let ending = try HostProcess.run(
        "call", "--plugins", Package.adopted, "--raw", "--get", "packed", "-o", deflated, "zlib", "compress",
        "data=\(text)")
      #expect(ending.status == 0 && ending.errors == "", "\(ending.errors)")
      #expect(try Data(contentsOf: URL(filePath: deflated)).first == 0x78)
    }

    @Test(arguments: [
      (["--get", "hlf", "kinds", "split", "0.2"], 64, "--get \"hlf\": it has no \"hlf\"; did you mean \"half\"?"),
      (["--get", "x", "kinds", "tiny"], 64, "--get \"x\": it is i8, which has no part \"x\""),
      (["--get", "a..b", "kinds", "split", "0.2"], 64, "\"a..b\" is not a path to a part of a result"),
      (["--get", "a", "kinds", "anything", "{}"], 1, "--get \"a\": the result has no member \"a\"; it has none"),
    ])
    func aPartThatIsMissingIsAMistake(words: [String], status: Int32, message: String) throws {
      let ending = try HostProcess.run(["call"] + words)
      #expect(ending.errors.contains(message), "\(ending.errors)")
      #expect(ending.status == status && ending.text == "")
    }

    @Test("numbers that JSON lacks have no quotes outside JSON")
    func numbersOutsideJSON() throws {
      #expect(try HostProcess.run("call", "--raw", "kinds", "number", "nan").text == "NaN\n")
      #expect(try HostProcess.run("call", "--format", "table", "kinds", "number", "--", "-inf").text == "-Infinity\n")
    }
  }
}
