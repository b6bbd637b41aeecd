import PluginRuntime
import Testing

@testable import plugin_host

@Suite struct ResultTableTests {
  private func row(_ name: String, _ size: Int64, _ note: PluginValue? = nil) -> PluginValue {
    .object(
      [PluginMember("name", .string(name)), PluginMember("size", .int(size))]
        + (note.map { [PluginMember("note", $0)] } ?? []))
  }

  @Test func objectsAreRows() {
    let value = PluginValue.array([row("a.txt", 5), row("日本", 12_345, .array([.int(1), .string("x")]))])
    #expect(
      ResultTable.text(value) == """
        name   size   note
        a.txt      5
        日本   12345  [1,"x"]

        """)
  }

  @Test func anObjectIsItsMembers() {
    let value = PluginValue.object([PluginMember("result", .double(0.5)), PluginMember("e", .void)])
    #expect(ResultTable.text(value) == "result  0.5\ne\n")
  }

  @Test func otherValuesAreLines() {
    #expect(ResultTable.text(.void) == "")
    #expect(ResultTable.text(.uint(.max)) == "18446744073709551615\n")
    #expect(ResultTable.text(.array([.int(1), row("x", 2)])) == "1\n{\"name\":\"x\",\"size\":2}\n")
    #expect(ResultTable.text(.array([])) == "")
    #expect(ResultTable.text(.bytes([0, 255])) == "\"AP8=\"\n")
  }

  @Test func nothingInATableCommandsATerminal() {
    #expect(ResultTable.text(.string("a\u{1B}[2Jb\nc")) == "a [2Jb c\n")
    #expect(ResultTable.text(.string("a\u{2069}\u{202A}b\u{200F}")) == "a b\u{200F}\n")
    let hostile = PluginValue.array([.object([PluginMember("\u{9B}n", .string("\r\u{7}x"))])])
    #expect(ResultTable.text(hostile) == "n\nx\n")
  }
}
