import Mutating
import Testing

@Suite("Generated mutations")
struct GeneratorTests {
  private func mutations(_ text: String) -> [Mutation] { SourceFile(path: "a.swift", text: text).mutations() }

  private func rendered(_ text: String) -> String {
    let file = SourceFile(path: "a.swift", text: text)
    return file.rendered(file.mutations().enumerated().map { ($0.offset + 1, $0.element.edit) }).text
  }

  @Test("each is behind a switch, one within the other")
  func nests() {
    #expect(
      rendered("func f() { if a < b { g() } }")
        == """
        func f() { if mutation_on(1) { return }; if mutation_flip(2, (mutation_on(3) ? a <= b : a < b)) \
        { if !mutation_on(4) { g() } } }
        """)
  }

  @Test(
    "kinds",
    arguments: [
      ("if a { } else { }", ["swap"]), ("guard let a = b else { }", ["unbind"]),
      ("x = a && b", ["assignment", "operand", "operand"]),
      ("x = 1", ["assignment"]), ("x.append(1)", ["call"]), ("_ = x.retain()", ["call"]), ("while a { }", ["negate"]),
      ("let x = a ? b : c", ["swap"]), ("let x = a + 1", ["constant"]), ("let x = min(a, b)", ["bound"]),
      ("func f() -> Bool { return true }", ["early", "early", "flag"]), ("func f() -> Int? { a() }", ["early"]),
      ("func f() -> Int { a() }", ["early"]), ("switch a { case .b: c(); d() }", ["branch", "call", "call"]),
      ("let x = y.load(ordering: .acquiring)", ["ordering"]),
      ("let x = y.wrappingAdd(1, ordering: .acquiringAndReleasing)", ["ordering", "ordering"]),
      ("let x = y.load(ordering: .sequentiallyConsistent)", ["ordering"]),
      ("let x = a.first { $0.isB() }", []), ("let x = a.filter({ b($0) })", []), ("let x = a.map { b($0) }", ["call"]),
      ("let x = \"\\(a < b)\"", []), ("fatalError()", []), ("@available(*, deprecated) func f() -> A { b() }", []),
    ])
  func kinds(_ text: String, _ expected: [String]) {
    #expect(mutations(text).map(\.kind.rawValue) == expected, "\(text)")
  }

  @Test("names stay when other declarations change")
  func names() {
    let one = mutations("struct S { func f() { a(); b() } }")
    let other = mutations("struct S { func e() { c(); d() }\n\n func f() { a(); b() } }")
    #expect(one.map(\.id) == other.suffix(one.count).map(\.id))
    #expect(one.map(\.id) == ["a.swift#S.f()#early#1", "a.swift#S.f()#call#1", "a.swift#S.f()#call#2"])
  }

  @Test("without the inserted code, the code is the original")
  func keepsOriginal() {
    let text =
      "func f(_ a: Int) -> Bool {\n  guard a > 0, let b = c(a) else { return false }\n  d(b)\n  return a < 3 || e\n}"
    let file = SourceFile(path: "a.swift", text: text)
    let rendering = file.rendered(file.mutations().enumerated().map { ($0.offset + 1, $0.element.edit) })
    var rest = Array(rendering.text.utf8)
    for place in rendering.places.values.joined().sorted(by: { $0.lowerBound > $1.lowerBound }) {
      rest.removeSubrange(place)
    }
    #expect(String(decoding: rest, as: UTF8.self) == text)
    #expect(rendering.places.count == file.mutations().count)
  }

  @Test("a message of the compiler is about the mutations of its place")
  func blames() {
    let file = SourceFile(path: "a.swift", text: "func f() {\n  a()\n  b(c < d)\n}")
    let made = file.mutations()
    let rendering = file.rendered(made.enumerated().map { ($0.offset + 1, $0.element.edit) })
    let line = rendering.text.split(separator: "\n")[2]
    let column = line.utf8.count - line.drop { $0 != "?" }.utf8.count + 1
    let blamed = rendering.blamed(line: 3, column: column)
    #expect(blamed.map { made[$0 - 1].kind } == [.bound])
  }

  @Test("a sample depends on its seed alone")
  func samples() {
    let all = mutations((0..<50).map { "func f\($0)() { a() ; b() }" }.joined(separator: "\n"))
    let one = all.sample(10, seed: 7).map(\.id)
    #expect(one == all.sample(10, seed: 7).map(\.id))
    #expect(one != all.sample(10, seed: 8).map(\.id))
    #expect(one.count == 10 && Set(one).count == 10)
  }

  @Test("changed lines of a diff")
  func diff() {
    let lines = changedLines("+++ b/x.swift\n@@ -1,0 +2,3 @@\n@@ -9 +12 @@\n+++ /dev/null\n@@ -1 +0,0 @@")
    #expect(lines["x.swift"] == [2, 3, 4, 12])
  }
}
