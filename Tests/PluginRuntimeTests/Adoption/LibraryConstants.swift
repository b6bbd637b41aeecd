import PluginRuntime
import Testing

/// Named integers of an adopted library.
@Suite("Constants of a library")
struct LibraryConstants {
  private static let adoption = Result {
    Adoption(
      id: "libc", library: "libc.so.6",
      functions: try [
        "abs(x: i32) -> i32", "labs(x: i64 enum {OWN = 5}) -> i64", "toupper(c: i32 = 97) -> i32",
        "strnlen(s: bytes[n], n: usize) -> usize", "htonl(x: u32) -> u32",
      ].map { Adoption.Function(signature: try Signature(parsing: $0)) },
      constants: [
        .init(name: "LESS", value: .int(-7)), .init(name: "ONE", value: .int(1)),
        .init(name: "MOST", value: .uint(.max)),
      ])
  }

  @Test("constants of a library name integers that have no names of their own, in every process")
  func names() async throws {
    let host = Host()
    try host.adopt(try Self.adoption.get())
    #expect(await host.outcome("abs", of: "libc", [.text("LESS")]).value == .int(7))
    #expect(await host.outcome("abs", of: "libc", [.value(.string("ONE"))]).value == .int(1))
    #expect(await host.outcome("abs", of: "libc", [.text("LESS|ONE")]).value == .int(7))
    #expect(await host.outcome("labs", of: "libc", [.text("OWN")]).value == .int(5))
    #expect(await host.outcome("labs", of: "libc", [.text("ONE")]).value == nil)
    // A u32 holds neither a negative number nor 64 bits.
    #expect(await host.outcome("htonl", of: "libc", [.text("LESS")]).value == nil)
    #expect(await host.outcome("htonl", of: "libc", [.text("MOST")]).value == nil)
    #expect(await host.outcome("htonl", of: "libc", [.text("ONE")]).value == .uint(1 << 24))
  }

  @Test("constants of a library are not in a signature's text, and are read back from the description as a value")
  func text() throws {
    let description = try Host.inspect(try Self.adoption.get())
    #expect(description.functions[0].signature.description == "abs(x: i32) -> i32")
    #expect(description.functions[0].signature.canonical == "(i32) -> i32")
    #expect(description.functions[0].signature.parameters[0].constants?.areOfLibrary == true)
    #expect(description.functions[3].signature.parameters[1].constants == nil)
    let again = try PluginDescription(from: description.value)
    #expect(again == description)
    #expect(again.functions[0].signature.parameters[0].constants?.constants.map(\.name) == ["LESS", "ONE"])
  }

  @Test("a constant of a library may have the name of a function")
  func namedAsFunction() async throws {
    var adoption = try Self.adoption.get()
    adoption.constants.append(.init(name: "abs", value: .int(-3)))
    let host = Host()
    try host.adopt(adoption)
    #expect(await host.outcome("abs", of: "libc", [.text("abs")]).value == .int(3))
  }

  @Test("constants of a library are integers, each under a name of its own")
  func mistakes() throws {
    var adoption = try Self.adoption.get()
    let mistakes: [(ConstantSet.Constant, String)] = [
      (.init(name: "ONE", value: .int(2)), "has two constants named \"ONE\""),
      (.init(name: "HALF", value: .double(0.5)), "has the constant \"HALF\" as 0.5, expected an integer"),
    ]
    for (constant, message) in mistakes {
      adoption.constants.append(constant)
      let error = #expect(throws: PluginError.self) { try Host.inspect(adoption) }
      #expect(error?.message.contains(message) == true, "\(String(describing: error))")
      adoption.constants.removeLast()
    }
  }
}
