import Testing

@testable import PluginRuntime

@Suite("Signatures: unions with a tag")
struct UnionTypes {
  private static let event =
    "{kind: i32, data: union(kind) {number: i64 = 1, text: cstr = -2, point: {x: f64, y: f64} = 3}}"

  @Test(
    "a union keeps its tag, its members and their values in the text of the signature and in its canonical form",
    arguments: [
      ("f(e: &\(event)) -> &\(event)", "(&\(event)) -> &\(event)"),
      ("f(a: out \(event), b: inout \(event), c: &[\(event)])", "(out \(event), inout \(event), &[\(event)])"),
      ("f(a: \(event)?, b: [\(event); 2])", "(\(event)?, [\(event); 2])"),
      ("f(see: fn(&\(event)))", "(fn(&\(event)) @call)"),
      (
        "f(e:&{a:u64,b:{c:u8,d:union ( c ){e:{f:i16,g:union(f){h:[u8;3]=-32768}}=255}},i:union(a){j:cstr?=18446744073709551615}})",
        "(&{a: u64, b: {c: u8, d: union(c) {e: {f: i16, g: union(f) {h: [u8; 3] = -32768}} = 255}}, i: union(a) {j: cstr? = 18446744073709551615}})"
      ),
    ])
  func texts(_ text: String, _ canonical: String) throws {
    let signature = try Signature(parsing: text)
    #expect(signature.canonical == canonical)
    #expect(try Signature(parsing: signature.description) == signature)
  }

  @Test("unions with other tags, values or members are other types")
  func different() throws {
    func hash(_ union: String) throws -> UInt64 { try Signature(parsing: "f(e: &{a: u8, b: u8, c: \(union)})").hash }
    let hashes = try [
      "union(a) {x: i32 = 1}", "union(b) {x: i32 = 1}", "union(a) {x: i32 = 2}", "union(a) {y: i32 = 1}",
      "union(a) {x: u32 = 1}", "union(a) {x: i32 = 1, y: i32 = 2}",
    ].map(hash)
    #expect(Set(hashes).count == hashes.count)
  }

  @Test(
    "a mistake in a union is an error with its place",
    arguments: [
      ("union {a: i32 = 1}", 7, "'{'", "'('"), ("union() {a: i32 = 1}", 7, "')'", "the field that chooses"),
      ("union(other) {a: i32 = 1}", 7, "'other'", "an integer among the fields before the union"),
      ("union(e) {a: i32 = 1}", 7, "'e'", "an integer among the fields before"),
      ("union(flag) {a: i32 = 1}", 7, "'flag'", "an integer among the fields before"),
      ("union(kind {a: i32 = 1}", 12, "'{'", "')' after the field"), ("union(kind)", 12, "'}'", "'{' and the union's"),
      ("union(kind) {}", 14, "'}'", "a field's name"), ("union(kind) {a}", 15, "'}'", "':' and a type"),
      ("union(kind) {a: i32}", 20, "'}'", "'=' and the value of 'kind' for which the union is 'a'"),
      ("union(kind) {a: i32 = x}", 23, "'x'", "an integer from 0 to 255 as the value of 'kind'"),
      ("union(kind) {a: i32 = 256}", 23, "'256'", "an integer from 0 to 255"),
      ("union(kind) {a: i32 = 1, b: i8 = 1}", 34, "1, which is the value for 'a'", "another value"),
      ("union(kind) {a: i32 = 1, a: i8 = 2}", 26, "a second field 'a'", "another name"),
      ("union(kind) {a: own str = 1}", 17, "'own str'", "data"),
      ("union(kind) {a: fn() = 1}", 17, "'fn() @call'", "data"),
      ("union(kind) {a: union(kind) {b: u8 = 1} = 1}", 17, "'union'", "libffi cannot pass a union by value"),
      ("union(kind) {a: i32 = 1", 25, "')'", "'}' or ',' after the field"),
      ("union(kind) {a: i32 = 1}?", 25, "'?'", "'}' or ','"),
      ("[union(kind) {a: i32 = 1}; 2]", 2, "'union'", "in a struct behind an address"),
    ])
  func mistakes(_ union: String, _ column: Int, _ found: String, _ expected: String) {
    let before = "f(e: &{flag: bool, kind: u8, e: "
    expectMistake(before + union + "})", before.count + column, found, expected)
  }

  @Test(
    "a struct with a union is not passed by value",
    arguments: [
      ("f(e: \(event))", 6), ("f() -> \(event)", 8), ("f(e: {a: i8, e: \(event)})", 6), ("f(e: {e: [\(event); 2]})", 6),
      ("f(see: fn(\(event)))", 11), ("f() -> \(event) !", 8),
      ("f(done: fn(resolve i8)@once) -> promise<i8> by done returns \(event)", 61),
    ])
  func byValue(_ text: String, _ column: Int) {
    let error = #expect(throws: SignatureError.self) { try Signature(parsing: text) }
    #expect(error?.column == column)
    #expect(error?.expected.contains("'&{...}', the struct's address: libffi cannot pass a union by value") == true)
  }

  @Test("a closure cannot return a union by value")
  func callbacks() {
    for text in ["f(g: fn() -> \(Self.event))", "f(g: fn(e: out \(Self.event)))", "f(g: fn(e: inout \(Self.event)))"] {
      let error = #expect(throws: SignatureError.self) { try Signature(parsing: text) }
      #expect(error?.expected.contains("scalars, a struct of them") == true, "\(text)")
    }
  }

  @Test("a union is as large as its largest member, and aligned for all")
  func layout() throws {
    for (members, size, alignment) in [
      ("a: u8 = 1", 1, 1), ("a: u8 = 1, b: i32 = 2", 4, 4), ("a: [u8; 9] = 1, b: i32 = 2", 12, 4),
      ("a: f64x = 1, b: [u8; 17] = 2", 32, 16), ("a: {x: u8, y: u16} = 1, b: cstr = 2", 8, 8), ("a: str = 1", 16, 8),
    ] {
      let signature = try Signature(parsing: "f(e: &{kind: u8, data: union(kind) {\(members)}})")
      let type = try #require(signature.parameters[0].type.content.fields?[1].type)
      #expect(TypeLayout(of: type) == TypeLayout(size: size, alignment: alignment), "\(members)")
    }
  }

  @Test("C has the members of a union in a union")
  func prototype() throws {
    let text = "send(event: &{kind: u8, data: union(kind) {n: i64 = 1, t: cstr = 2, point: {x: f64} = 3}}) -> bool"
    #expect(
      try Signature(parsing: text).cPrototype == """
        struct send_event_data_point { double x; };
        struct send_event { uint8_t kind; union { int64_t n; const char *t; struct send_event_data_point point; } data; };
        bool send(const struct send_event *event);
        """)
  }
}
