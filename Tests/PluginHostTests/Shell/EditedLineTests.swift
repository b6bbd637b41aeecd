import Foundation
import Glibc
import Testing

@testable import plugin_host

@Suite struct EditedLineTests {
  private func edited(_ text: String, _ edit: (inout EditedLine) -> Void) -> String {
    var line = EditedLine(text)
    edit(&line)
    return "\(line.textBeforeCursor)|\(line.text.dropFirst(line.textBeforeCursor.count))"
  }

  @Test func textIsInsertedAndRemovedAtTheCursor() {
    #expect(
      edited("ab") {
        $0.moveLeft(); $0.insert("x")
      } == "ax|b")
    #expect(edited("ab") { $0.deleteBackward() } == "a|")
    #expect(
      edited("ab") {
        $0.moveToStart(); $0.deleteBackward()
      } == "|ab")
    #expect(
      edited("ab") {
        $0.moveToStart(); $0.deleteForward()
      } == "|b")
    #expect(edited("ab") { $0.deleteForward() } == "ab|")
    #expect(edited("ab cd") { $0.deleteWord() } == "ab |")
    #expect(edited("ab cd  ") { $0.deleteWord() } == "ab |")
    #expect(
      edited("abc") {
        $0.moveLeft(); $0.deleteToStart()
      } == "|c")
    #expect(
      edited("abc") {
        $0.moveLeft(); $0.deleteToEnd()
      } == "ab|")
    // A scalar that joins the letter before it makes one character.
    #expect(
      edited("e") {
        $0.insert("\u{301}"); $0.deleteBackward()
      } == "|")
  }

  @Test func theCursorStaysInTheLine() {
    #expect(edited("ab") { $0.moveRight() } == "ab|")
    #expect(
      edited("ab") {
        $0.moveToStart(); $0.moveLeft()
      } == "|ab")
    #expect(
      edited("a bc d") {
        $0.moveWordLeft(); $0.moveWordLeft()
      } == "a |bc d")
    #expect(
      edited("a bc d") {
        $0.moveToStart(); $0.moveWordRight(); $0.moveWordRight()
      } == "a bc| d")
    #expect(
      edited("a") {
        $0.moveToStart(); $0.moveToEnd()
      } == "a|")
  }

  @Test func aWindowShowsTheTextAroundTheCursor() {
    var line = EditedLine("0123456789")
    #expect(line.window(width: 20).text == "0123456789")
    #expect(line.window(width: 5) == ("6789", 4))
    line.moveToStart()
    #expect(line.window(width: 5) == ("01234", 0))
    #expect(EditedLine("日本語").window(width: 5) == ("本語", 4))
  }
}

@Suite struct KeyDecoderTests {
  private func keys(_ text: String) -> [Key] {
    var decoder = KeyDecoder()
    return text.utf8.compactMap { decoder.key($0) }
  }

  @Test func bytesBecomeKeys() {
    #expect(keys("aé日") == [.text("a"), .text("é"), .text("日")])
    #expect(keys("\r\n\t\u{7F}\u{3}\u{4}") == [.enter, .enter, .tab, .backspace, .interrupt, .end])
    #expect(keys("\u{1B}[A\u{1B}OB\u{1B}[3~\u{1B}[1;5C\u{1B}b") == [.up, .down, .delete, .wordRight, .wordLeft])
    #expect(keys("\u{1B}[99~x\u{1B}[200~") == [.other, .text("x"), .other])
    // A sequence that does not end takes no key behind it.
    #expect(keys("\u{1B}[" + String(repeating: "1", count: 40) + "x").last == .text("x"))
    var decoder = KeyDecoder()
    #expect([0xFF, 0x61].compactMap { decoder.key($0) } == [.other, .text("a")])
  }
}

@Suite struct ShellHistoryTests {
  @Test func earlierLinesComeBackAndTheDraftAtLast() {
    var history = ShellHistory(path: nil)
    for line in ["one", "two", "two", " secret", ""] { history.add(line) }
    #expect(history.lines == ["one", "two"])
    history.begin()
    #expect(history.previous("dra") == "two")
    #expect(history.previous("two") == "one")
    #expect(history.previous("one") == nil)
    #expect(history.next() == "two")
    #expect(history.next() == "dra")
    #expect(history.next() == nil)
  }

  @Test func onlySoManyLinesAreKept() {
    var history = ShellHistory(path: nil)
    for number in 0...ShellHistory.limit { history.add("\(number)") }
    #expect(history.lines.count == ShellHistory.limit)
    #expect(history.lines.first == "1")
  }

  @Test func theFileIsShortenedWhenItIsRead() throws {
    let folder = try TemporaryFolder()
    let path = folder.path("history")
    var history = ShellHistory(path: path)
    for number in 0...ShellHistory.limit { history.add("\(number)") }
    #expect(ShellHistory(path: path).lines.first == "1")
    let lines = try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n")
    #expect(lines.count == ShellHistory.limit && lines.first == "1")
    var information = stat()
    #expect(stat(path, &information) == 0 && information.st_mode & 0o777 == 0o600)
  }
  @Test func aFileOfManyKilobytesIsReadAsAWhole() throws {
    let folder = try TemporaryFolder()
    let lines = (0..<ShellHistory.limit).map { "\($0)" + String(repeating: "x", count: 200) }
    try folder.write(lines.map { $0 + "\n" }.joined(), to: "history")
    #expect(ShellHistory(path: folder.path("history")).lines == lines)
  }

  @Test("a FIFO in place of the file is neither read nor written to")
  func fifo() throws {
    let folder = try TemporaryFolder()
    let path = folder.path("history")
    #expect(mkfifo(path, 0o600) == 0)
    var history = ShellHistory(path: path)
    history.add("one")
    #expect(history.lines == ["one"])
  }

  @Test("the file is not shortened while another session adds a line")
  func locked() throws {
    let folder = try TemporaryFolder()
    let text = (0...ShellHistory.limit).map { "\($0)\n" }.joined()
    try folder.write(text, to: "history")
    let path = folder.path("history")
    try FileLock.holding(path) { () throws(SystemError) in
      #expect(ShellHistory(path: path).lines.first == "1")
    }
    #expect(try folder.text("history") == text)
    #expect(ShellHistory(path: path).lines.first == "1")
    #expect(try folder.text("history") != text)
  }
}
