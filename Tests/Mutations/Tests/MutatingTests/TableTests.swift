import Mutating
import Testing

@Suite("The table of mutations")
struct TableTests {
  private let source = SourceFile(
    path: "a.swift", text: "func f() {\n  a()\n  b()\n}\nvar g: Int { h + 1 }\nfunc i() {\n  a()\n}\n")

  private func row(_ code: String, _ fields: String = "tests: ABI/x") throws -> Row {
    try readTable("== r\nfile: a.swift\nbreaks: it\n\(fields)\n\(code)\n", named: "t")[0]
  }

  private func text(_ row: Row) throws -> String {
    source.rendered([(1, try row.mutation(of: source).edit)]).text
  }

  @Test("a mutated copy of the body stands behind a switch")
  func replacesBody() throws {
    let text = try text(row("- a()\n-   b()\n+ b()"))
    #expect(text.contains("func f() {\n  if mutation_on(1) {\nb()\n} else {\na()\n  b()\n}\n}"))
  }

  @Test("a body that is one expression returns it")
  func returnsValue() throws {
    #expect(try text(row("- h + 1\n+ h - 1")).contains("{\nreturn h - 1\n}\nreturn h + 1 }"))
  }

  @Test("an initial value is chosen; for one that is an `if` or a `switch`, the body is copied")
  func initialValue() throws {
    let code = ["p + 1", "if p { 1 } else { 2 }", "switch p { default: 1 }"].map { "func f() {\n  let a = \($0)\n}\n" }
    let texts = try zip(code, ["- p + 1\n+ q", "- { 1 }\n+ { 3 }", "- default: 1\n+ default: 3"]).map { code, change in
      let source = SourceFile(path: "a.swift", text: code)
      return source.rendered([(1, try row(change).mutation(of: source).edit)]).text
    }
    #expect(texts[0].contains("let a = (mutation_on(1) ? (q) : p + 1)"), "\(texts[0])")
    for text in texts.dropFirst() {
      #expect(text.hasPrefix("func f() {\n  if mutation_on(1) {\nlet a = "), "\(text)")
    }
  }

  @Test("two rows about one expression")
  func twoRows() throws {
    let edits = try ["- h + 1\n+ h", "- + 1\n+ + 2"].map { try row($0).mutation(of: source).edit }
    let text = source.rendered([(1, edits[0]), (2, edits[1])]).text
    #expect(
      text.contains(
        "{ if mutation_on(1) {\nreturn h\n}\nif mutation_on(2) {\nreturn h + 2\n}\nreturn h + 1 }"))
  }

  @Test("a row names the rows of docs/features.txt that it breaks, and the tests that must fail")
  func rows() throws {
    let row = try row("- h + 1\n+ h", "rows: T12 T13\ntests: A.B/c(), A.D")
    #expect(row.rows == ["T12", "T13"])
    #expect(row.tests == ["A.B/c()", "A.D"])
  }

  @Test("a row of a race says how often its tests run")
  func repeats() throws {
    #expect(try row("- h + 1\n+ h").repeats == 1)
    #expect(try row("- h + 1\n+ h", "tests: ABI/x\nrepeat: 20").repeats == 20)
  }

  @Test("blanks do not count")
  func blanks() throws {
    #expect(try row("- h+1\n+ h").mutation(of: source).line == 5)
  }

  @Test("a row is concerned by changes of its file, or of itself")
  func changes() throws {
    let rows = try ["r", "s"].map { "== \($0)\nfile: a.swift\nbreaks: it\ntests: ABI/x\n- a()\n+ c()\n" }
    let table = try readTable(rows.joined(separator: "\n"), named: "t")
    #expect(table.map(\.lines) == [1...7, 8...14])
    #expect(table.map { $0.isConcerned(by: ["a.swift": []]) } == [true, true])
    #expect(table.map { $0.isConcerned(by: ["b.swift": [1], "t": [9]]) } == [false, true])
    #expect(table.map { $0.isConcerned(by: ["t": [6]]) } == [true, false])
  }

  @Test("a row whose code is no longer in the file is an error")
  func missingCode() throws {
    let row = try row("- c()\n+ d()")
    let error = #expect(throws: TableError.self) { try row.mutation(of: source) }
    #expect(error?.message.contains("not in a.swift any more") == true)
  }

  @Test("code that is there twice needs context or a place")
  func ambiguous() throws {
    let ambiguous = try row("- a()\n+ c()")
    let error = #expect(throws: TableError.self) { try ambiguous.mutation(of: source) }
    #expect(error?.message.contains("more than once (lines 2, 7)") == true)
    #expect(try row("- a()\n+ c()", "tests: x\nplace: 2").mutation(of: source).line == 7)
    #expect(try row("- a()\n-   b()\n+ c()").mutation(of: source).line == 2)
    let third = try row("- a()\n+ c()", "tests: x\nplace: 3")
    #expect(throws: TableError.self) { try third.mutation(of: source) }
  }

  @Test("a mutation outside of the body of a function is refused")
  func outside() throws {
    let row = try row("- func f()\n+ func g()")
    #expect(throws: TableError.self) { try row.mutation(of: source) }
  }

  @Test(
    "mistakes",
    arguments: [
      "== r\nbreaks: it\ntests: x\n- a\n+ b", "== r\nfile: a\ntests: x\n- a\n+ b",
      "== r\nfile: a\nbreaks: it\n- a\n+ b",
      "== r\nfile: a\nbreaks: it\nunseen: x\nequivalent: y\n- a\n+ b",
      "== r\nfile: a\nbreaks: it\ntests: x\nequivalent: y\n- a\n+ b", "== r\nfile: a\nbreaks: it\ntests: x\n+ b",
      "== r\nfile: a\nbreaks: it\ntests: x\n- a\n+ a", "== r\nfile: a\nbreaks: it\nteste: x\n- a\n+ b",
      "== r\nfile: a\nbreaks: it\ntests: x\n- a\n+ b\n== r\nfile: a\nbreaks: it\ntests: x\n- a\n+ b",
    ])
  func mistakes(_ text: String) {
    #expect(throws: TableError.self) { try readTable(text, named: "t") }
  }

  @Test("a difference that no test notices has its reason")
  func unseen() throws {
    let rows = try readTable("== r\nfile: a\nbreaks: it\nunseen: x\n- a\n+ b", named: "t")
    #expect(rows.map(\.equivalent) == ["x"])
    #expect(rows.map(\.tests) == [[]])
  }

  @Test("C: a statement, or an expression")
  func c() throws {
    let source = SourceFile(path: "a.c", text: "int f(void) { g(); return a < b; }")
    func text(_ code: String) throws -> String {
      source.rendered([(1, try row(code).mutation(of: source).edit)]).text
    }
    #expect(try text("- g();\n+") == "int f(void) { if (mutation_on(1)) {  } else { g(); } return a < b; }")
    #expect(try text("- a < b\n+ a > b") == "int f(void) { g(); return (mutation_on(1) ? (a > b) : (a < b)); }")
    #expect(throws: TableError.self) { try text("- int f(void) { g();\n+ int f(void) {") }
  }
}
