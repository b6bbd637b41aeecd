import Promises
import Testing

@testable import PluginRuntime

@Suite("Isolation: arguments in frames")
struct ArgumentCoderTests {
  /// The arguments of a call whose body ends with these values.
  private func decoded(_ parts: [PluginValue]) throws -> [Argument] {
    // They follow its function, depth, thread and place.
    let body = PluginValue.array([.uint(0), .uint(0), .uint(0), .bool(false)] + parts)
    let frame = Frame(.call, 1, encoding: try CBOREncoder.encode(body)[...])
    let call = try IncomingCall(
      frame.encoding, frame.memory, [], promise: { _ in Promise() }, callback: { _ in PluginCallback { _ in .void } })
    return try #require(call).arguments
  }

  @Test("an argument in a frame is three values")
  func whole() throws {
    let text = ArgumentCoder.Form.text.rawValue
    let arguments = try decoded([.string("name"), .uint(text), .string("a"), .void, .uint(text), .string("b")])
    #expect(arguments.map(\.name) == ["name", nil])
  }

  @Test(
    "an argument that is incomplete, of an unknown form, or without its content is refused",
    arguments: [
      [.void], [.void, .uint(0)], [.void, .uint(0), .int(1), .void], [.void, .uint(99), .int(1)],
      [.void, .int(0), .int(1)], [.void, .uint(ArgumentCoder.Form.shared.rawValue), .uint(0)],
      [.void, .uint(ArgumentCoder.Form.result.rawValue), .array([.uint(1)])],
      [.void, .uint(ArgumentCoder.Form.fulfilled.rawValue)],
    ] as [[PluginValue]])
  func refusals(_ parts: [PluginValue]) {
    #expect(throws: FrameError.self) { try decoded(parts) }
  }
}
