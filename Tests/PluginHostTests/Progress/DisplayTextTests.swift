import Testing

@testable import plugin_host

@Suite struct DisplayTextTests {
  @Test(arguments: [
    ("plain", "plain"), ("two\nlines\r\n", "two lines"), ("\u{1B}[31mred\u{1B}[0m", "[31mred [0m"),
    ("a\u{0}\u{7F}\u{9B}b", "a b"), ("", ""), ("\n", ""),
  ])
  func isOneHarmlessLine(text: String, line: String) { #expect(text.displayLine == line) }

  @Test("a line of megabytes is cut, after its secrets are hidden")
  func isCut() {
    let line = String(repeating: "a", count: String.longestLine)
    #expect(line.displayLine == line)
    #expect("\(line)\(line)".displayLine == "\(line)... (\(line.count) more bytes)")
  }

  @Test(arguments: [("abc", 3), ("日本", 4), ("e\u{301}", 1), ("", 0), ("👍", 2), ("█", 1)])
  func countsColumns(text: String, columns: Int) { #expect(text.columns == columns) }

  @Test func truncates() {
    #expect("abcdef".truncated(to: 6) == "abcdef")
    #expect("abcdef".truncated(to: 5) == "abcd…")
    #expect("日本語".truncated(to: 5) == "日本…")
    #expect("日本語".truncated(to: 4) == "日…")
    #expect("abc".truncated(to: 1) == "…")
    #expect("abc".truncated(to: 0) == "")
    #expect("abcdef".truncated(to: 5, mark: "~") == "abcd~")
    #expect("e\u{301}e\u{301}e".truncated(to: 2) == "e\u{301}…")
  }

  @Test func pads() {
    #expect("日".padded(to: 4) == "日  ")
    #expect("long".padded(to: 2) == "long")
  }
}
