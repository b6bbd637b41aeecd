import Testing

@testable import PluginRuntime

@Suite("Signatures: random texts")
struct Mutations {
  static let seeds = [
    #"inflate(data: bytes, limit: usize = 1048576 "room") -> own bytes !"#,
    #"centroid(points: &[{x: f64, y: [i8; 3]}] = [{"x": 1, "y": [1, 2, -3]}]) -> {x: f64, y: f64}"#,
    "copy(to: out bytes[n], n: inout u64, from: &[f32; m], m: u8) -> i32 counts to ! negative",
    "locate(f: fn(key: i32, x: out f64, p: inout {v: i32}, t: out own cstr?) -> i32 @once)",
    "late(done: fn(context, reject nonzero i32, resolve str?) @once, data: context<done>) -> promise<str> by done returns i32",
    "send(e: &{kind: i32, data: union(kind) {n: i64 = -1, p: {x: f64} = 2}}) -> &{t: u8, u: union(t) {a: cstr? = 0}}",
    #"next(s: at ptr<z> {in: moving bytes[n] = "", n: inout u32, w: out u8 counts to "n"}, to: out str[r], r: u8) -> i32"#,
    "pack(b: at {name: inout str[9], x: const f64 = 2}) -> usize ! if is_bad(b, of(result)) -> bool message m(result)",
    #"print(format: cstr = "\u00e9\n", ...rest: i64 | f64 | ptr<x>) -> own(free) cstr ! null"#,
  ]

  @Test("any text is a mistake with a column inside it, or a signature whose text means the same")
  func total() {
    var dice = Dice(seed: 7)
    let pieces =
      Array("(){}[]<>:;,=!?&|@.-\"\\ 0123_aé\u{0}").map(String.init) + [
        "->", "...", "fn(", "ptr<", "own ", "out ", "{x: ", "&[", " by ", "1e9", "union(kind) {",
      ]
    var parsed = 0
    for _ in 0..<20_000 {
      var text = Array(dice.pick(Self.seeds))
      for _ in 0...dice.roll(3) {
        let place = dice.roll(text.count + 1)
        switch dice.roll(3) {
        case 0: text.insert(contentsOf: dice.pick(pieces), at: place)
        case 1: text.removeSubrange(place..<min(text.count, place + dice.roll(4)))
        default: text = Array(text[..<place]) + Array(dice.pick(Self.seeds).suffix(dice.roll(60)))
        }
      }
      do throws(SignatureError) {
        let signature = try Signature(parsing: String(text))
        let again = try Signature(parsing: signature.description)
        let isSame = again == signature && again.canonical == signature.canonical && !signature.cPrototype.isEmpty
        if !isSame { Issue.record("\(signature)") }
        parsed += 1
      } catch {
        let length = String(text).unicodeScalars.count
        if !(1...length + 1).contains(error.column) { Issue.record("\(error)") }
        if !error.description.contains("\n") { Issue.record("\(text)") }
      }
    }
    #expect(parsed > 100)
  }

  @Test("parsing a text of any length takes time that grows with it")
  func long() {
    // Each text would take minutes if the cost of a token grew with the text.
    for piece in ["(", "{a: ", "a", " ", "f(a: i32, ", "\"", "&[", "own ", "fn(", "\\"] {
      let text = "f(a: " + String(repeating: piece, count: 16_000 / piece.count)
      #expect(throws: SignatureError.self) { try Signature(parsing: text) }
    }
  }
}
