import Glibc
import Promises
import Testing

@testable import PluginRuntime

/// Round trips of rejection reasons through a frame.
@Suite("Isolation: reasons")
struct ReasonTests {
  private func crossed(_ reason: Any?) throws -> Any? { try ReasonCoder.decode(ReasonCoder.encode(reason)) }

  private static let kinds: [PluginError.Kind] = [
    .notFound, .notReadable, .notAFile, .notAPlugin, .wrongArchitecture, .truncated, .damaged, .unsafeMemory,
    .unsafeName, .noEntry, .replaced, .loadFailed, .badDescriptor, .duplicate, .unknownPlugin, .unknownFunction,
    .badArgument, .badResult, .abandoned, .closed, .notIsolated, .timedOut, .abiRange(host: 2, plugin: nil),
    .abiRange(host: 2, plugin: 3...4), .layout("a.b"), .missingRequirement("x"), .requirementCycle(["a", "b"]),
    .refused(-7), .exception(type: "E", message: nil), .exception(type: nil, message: "m"),
    .badSignature(SignatureError(text: "f(", column: 3, found: "the end", expected: "a type")),
  ]

  @Test("reasons keep each kind of error of a plugin", arguments: kinds.indices)
  func pluginErrors(index: Int) throws {
    let error = PluginError(Self.kinds[index], "subject", "message")
    #expect(try crossed(error) as? PluginError == error)
  }

  struct Odd: Error, CustomStringConvertible {
    let description = "odd"
  }

  @Test("reasons keep values of a known form, and the text of others")
  func values() throws {
    #expect(try crossed(nil) == nil)
    #expect(try crossed(Discarded.discarded) is Discarded)
    #expect(try crossed("text") as? String == "text")
    #expect(try crossed(true) as? Bool == true)
    #expect(try crossed(-5) as? Int == -5)
    #expect(try crossed(UInt(5)) as? UInt == 5)
    #expect(try crossed(1.5) as? Double == 1.5)
    #expect(try crossed([1, 2] as [UInt8]) as? [UInt8] == [1, 2])
    let array = PluginValue.array([.int(1)])
    #expect(try crossed(array) as? PluginValue == array)
    #expect(try crossed(Odd()) as? String == "odd")
    let map = try #require(try crossed(["a": [1, ()] as [Any], "b": Odd()] as [String: Any]) as? [String: Any])
    let list = try #require(map["a"] as? [Any])
    #expect(list.count == 2 && list[0] as? Int == 1 && list[1] is Void && map["b"] as? String == "odd")
    let thrown = ThrownReason(number: 3, text: "t")
    #expect(try crossed(thrown) as? ThrownReason == thrown)
    var error = PromiseError(domain: "d", code: 2, message: "m")
    error.origin = "here"
    error.causes = [PromiseError(domain: "e", code: 3, message: "n")]
    let back = try #require(try crossed(error) as? PromiseError)
    #expect(back == error && back.origin == "here" && back.causes == error.causes)
  }

  @Test(
    "reasons of an unknown form are refused",
    arguments: [
      .void, .array([]), .array([.string("none"), .void]), .array([.string("plugin"), .string("x")]),
      .array([.string("text"), .int(1)]), .array([.string("thrown"), .int(1), .string("x")]),
      .array([.string("error"), .array([.string("d"), .int(1)]), .array([])]), .array([.string("other"), .void]),
      plugin("abiRange", .array([.uint(1), .uint(3), .uint(2)])), plugin("abiRange", .array([.uint(1), .uint(2)])),
      plugin("abiRange", .array([])), plugin("refused", .int(1 << 32)), plugin("exception", .array([.void])),
      plugin("badSignature", .array([.uint(9), .string("f()"), .string("x"), .string("y")])),
    ] as [PluginValue])
  func refusals(value: PluginValue) {
    #expect(throws: FrameError.self) { try ReasonCoder.decode(value) }
  }

  /// Returns an error of a plugin as a worker sends it.
  private static func plugin(_ kind: String, _ details: PluginValue) -> PluginValue {
    .array([.string("plugin"), .array([.string(kind), details, .string("subject"), .string("message")])])
  }
}

@Suite("Isolation: wake-ups")
struct WakeupTests {
  @Test("wake-ups reach the thread that serves a link, and are taken once")
  func wakeups() throws {
    let link = try #require(WorkerLink())
    func isReadable() -> Bool {
      var wait = pollfd(fd: link.wakeup, events: Int16(POLLIN), revents: 0)
      return poll(&wait, 1, 0) == 1
    }
    #expect(!isReadable())
    link.wake()
    link.wake()
    #expect(isReadable())
    link.takeWakeup()
    #expect(!isReadable())
    withExtendedLifetime(link) {}
  }
}
