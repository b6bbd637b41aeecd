import Testing

extension EndToEnd {
  /// A mistake in a signature is shown with a mark under it, wherever the signature comes from.
  @Suite struct SignatureMistakeTests {
    @Test(arguments: [
      (["inspect", FixturePlugins.path("Wrong/mistaken")], "  two(a: int) -> i32", "         ^"),
      (["call", FixturePlugins.path("Wrong/mistaken"), "one"], "  two(a: int) -> i32", "         ^"),
      (
        ["call", "--isolation", "process", FixturePlugins.path("Wrong/mistaken"), "one"], "  two(a: int) -> i32",
        "         ^"
      ),
      (
        ["call", "--signature", "getenv(name: cstr) -> own(none_such) cstr", "libc.so.6", "HOME"],
        "  getenv(name: cstr) -> own(none_such) cstr", "                            ^"
      ),
    ])
    func theMarkIsUnderTheMistake(words: [String], text: String, mark: String) throws {
      let ending = try HostProcess.run(words)
      #expect(ending.status == 2)
      let lines = ending.errors.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
      #expect(lines.dropFirst() == [text, mark, ""], "\(ending.errors)")
      #expect(lines.first?.hasPrefix("plugin-host: ") == true && lines.first?.contains(", column ") == true)
    }
  }
}
