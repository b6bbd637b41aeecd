import Testing

@testable import plugin_host

@Suite struct ShellLineTests {
  private func words(_ text: String) throws -> [[ShellLine.Part]] { try ShellLine(parsing: text).words.map(\.parts) }

  private func plain(_ text: String) -> [ShellLine.Part] { [.text(text, isQuoted: false)] }

  private func reference(_ name: String, _ path: ResultPath.Part...) -> ShellLine.Part {
    .reference(ShellLine.Reference(name: name, path: ResultPath(parts: path)))
  }

  @Test func wordsAreThoseOfAPOSIXShell() throws {
    #expect(try words("") == [])
    #expect(try words("  # nothing") == [])
    #expect(try words("a  b\t#c") == [plain("a"), plain("b")])
    #expect(try words("a#b") == [plain("a#b")])
    #expect(
      try words(#"'a b' "c \"d\"\n\z" \ e"#) == [
        [.text("a b", isQuoted: true)], [.text("c \"d\"\n\\z", isQuoted: true)],
        [.text(" ", isQuoted: true), .text("e", isQuoted: false)],
      ])
    #expect(try words("'' \"\"") == [[.text("", isQuoted: true)], [.text("", isQuoted: true)]])
    #expect(
      try words("a'b'c") == [
        [.text("a", isQuoted: false), .text("b", isQuoted: true), .text("c", isQuoted: false)]
      ])
  }

  @Test func variablesStandAnywhereButInSingleQuotes() throws {
    #expect(try words("$db") == [[reference("db")]])
    #expect(
      try words("$rows[0].name.") == [
        [reference("rows", .index(0), .name("name")), .text(".", isQuoted: false)]
      ])
    #expect(
      try words("${a.b}c $a[-1] $a[x]") == [
        [reference("a", .name("b")), .text("c", isQuoted: false)], [reference("a", .index(-1))],
        [reference("a"), .text("[x]", isQuoted: false)],
      ])
    #expect(
      try words(#""n: $n" '$n' \$n db=$db"#) == [
        [.text("n: ", isQuoted: true), reference("n")], [.text("$n", isQuoted: true)],
        [.text("$", isQuoted: true), .text("n", isQuoted: false)], [.text("db=", isQuoted: false), reference("db")],
      ])
  }

  @Test func aNameAndAnEqualsSignAssign() throws {
    let line = try ShellLine(parsing: "db = sqlite.open :memory:")
    #expect(line.target == "db")
    #expect(line.words.map(\.plain) == ["sqlite.open", ":memory:"])
    #expect(try ShellLine(parsing: "f a = b").target == nil)
  }

  @Test(arguments: [
    ("a 'b", 3, "without its end"), ("a \"b", 3, "without its end"), ("a $", 3, "a variable's name"),
    ("a $1", 3, "a variable's name"), ("${a", 1, "without a \"}\""), ("${a..b}", 1, "is not a path"),
    ("a\\", 3, "must follow"), ("a =", 4, "must follow \"=\""), ("1 = a.b", 1, "cannot be a variable"),
    ("db=sqlite.open x", 1, "\"=\" needs spaces: db = ..."),
  ])
  func aMistakeHasItsColumn(text: String, column: Int, message: String) {
    let mistake = #expect(throws: ShellLine.ParseError.self) { try ShellLine(parsing: text) }
    #expect(mistake?.column == column, "\(text)")
    #expect(mistake?.message.contains(message) == true, "\(mistake?.message ?? "")")
  }
}
