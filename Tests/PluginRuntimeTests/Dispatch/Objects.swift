import CPromise
import PluginRuntime
import Promises
import Testing

@Suite("Objects that the host owns")
struct Objects {
  let host: Host

  init() throws { host = try .loading("objects") }

  @Test("an object is destroyed once, when its last reference is released, on a thread of the library's pool")
  func lastReference() async throws {
    do {
      let box = try await object("box_new", 3)
      let copies = [box, box]
      #expect(await number("box_number", .value(copies[1])) == .int(3))
      #expect(await text("ended") == "")
      withExtendedLifetime(copies) {}
    }
    try await waitUntil("3 ")
    #expect(await number("destroyed") == .int(1))
    #expect(await number("elsewhere") == .int(1))
  }

  @Test("an unused object is destroyed: of a discarded result, and of a failed call")
  func unwanted() async throws {
    _ = await call("box_new", .value(.int(1)))
    try await waitUntil("1 ")
    let error = await call("box_make", .value(.int(-2))).promiseError
    #expect(error?.code == 7)
    try await waitUntil("1 -2 ")
  }

  @Test("NULL is not an object: void where it is allowed, an error where it is not, a rejection by a rule")
  func null() async {
    #expect(await call("box_maybe", .value(.int(0))).value == .void)
    #expect(await call("box_make", .value(.int(0))).value == .object([PluginMember("box", .void)]))
    #expect(await call("box_fails", .value(.int(0))).promiseError?.message == "box_fails: No such file or directory")
    #expect(await number("destroyed") == .int(0))
  }

  @Test("a call that releases an object consumes it: the host does not destroy it, and refuses later uses")
  func released() async throws {
    let box = try await object("box_new", 4)
    #expect(await call("box_close", .value(box)).value == .void)
    for function in ["box_number", "box_close", "box_free", "box_hold"] {
      let error = await call(function, .value(box)).pluginError
      #expect(
        error?.message == "argument 'box' is a box that 'box_close' has released, expected one that is live",
        "\(function)")
    }
    withExtendedLifetime(box) {}
    #expect(await text("ended") == "4 ")
    #expect(await number("destroyed") == .int(0))
  }

  @Test("a function that is an object's destructor consumes it, though its signature does not say so")
  func destructor() async throws {
    let box = try await object("box_new", 5)
    #expect(await call("box_free", .value(box)).value == .void)
    #expect(await call("box_free", .value(box)).pluginError?.message.contains("'box_free' has released") == true)
    #expect(await text("ended") == "5 ")
  }

  @Test("a call that fails has released its object; one that was not made has not")
  func failedRelease() async throws {
    let box = try await object("box_new", 6)
    let wrong = await call("box_close", .value(box), .value(.int(300))).pluginError
    #expect(wrong?.message.contains("'code' is 300") == true)
    #expect(await number("box_number", .value(box)) == .int(6))
    #expect(await call("box_close", .value(box), .value(.int(9))).promiseError?.code == 9)
    #expect(await call("box_number", .value(box)).pluginError?.kind == .badArgument)
    #expect(await text("ended") == "6 ")
    #expect(await call("box_close", .value(.void)).value == .void)
  }

  @Test("an object of one name is refused for another name, and so are texts and numbers")
  func forged() async throws {
    let box = try await object("box_new", 7)
    #expect(
      await call("crate_number", .value(box)).pluginError?.message
        == "argument 'crate' is an address of a box, expected an address of a crate")
    for content in [
      Argument.Content.text("0x1000"), .json(.string("0x1000")), .json(.number("4096")), .contents(Array("0x1".utf8)),
      .value(.uint(4096)), .value(.string("0x1000")),
    ] {
      let error = await host.outcome("box_number", of: "test.objects", [Argument(content)]).pluginError
      #expect(error?.kind == .badArgument, "\(content)")
    }
    withExtendedLifetime(box) {}
  }

  @Test("an object is retained by the objects that were made from it, and destroyed after them")
  func made() async throws {
    do {
      let inner: PluginValue
      do {
        let outer = try await object("box_new", 2)
        inner = try await object("box_within", outer, 1)
      }
      #expect(await number("box_number", .value(inner)) == .int(21))
      #expect(await text("ended") == "")
      withExtendedLifetime(inner) {}
    }
    try await waitUntil("21 2 ")
  }

  @Test("an object that is in use is not released: by another argument, and while a promise is pending")
  func inUse() async throws {
    let box = try await object("box_new", 8)
    #expect(await number("box_sum", .value(box), .value(box)) == .int(16))
    let holding = host.call("box_hold", of: "test.objects", [.value(box)])
    #expect(
      await call("box_close", .value(box)).pluginError?.message
        == "argument 'box' is a box that is in use, expected one that no other argument or call uses")
    #expect(await number("box_number", .value(box)) == .int(8))
    _ = await call("box_let_go")
    try await waitUntilFulfilled(holding)
    #expect(await call("box_close", .value(box)).value == .void)
  }

  @Test("a pending call keeps its object after the caller's last reference")
  func pending() async throws {
    let holding = host.call("box_hold", of: "test.objects", [.value(try await object("box_new", 9))])
    #expect(await text("ended") == "")
    _ = await call("box_let_go")
    try await waitUntilFulfilled(holding)
    try await waitUntil("9 ")
  }

  @Test("an object may lie in a struct, and a call may give it again as an address")
  func places() async throws {
    let box = try await object("box_new", 10)
    #expect(await number("box_in", .value(.object([PluginMember("box", box)]))) == .int(10))
    #expect(await call("box_same", .value(box)).value == box)
    // A promise of C cannot keep the object, so the function is given a promise that is rejected.
    #expect(await number("later_state", .value(box)) == .int(Int64(PROMISE_REJECTED)))
    withExtendedLifetime(box) {}
  }

  @Test("in C an object is an OBJECT, which calls take and whose release destroys it")
  func binary() async throws {
    let make = try host.function("box_new", of: "test.objects")
    let look = try host.function("box_number", of: "test.objects")
    var number = promise_value_t()
    number.kind = promise_kind_t(PROMISE_KIND_I64)
    number.as.i64 = 11
    var box = promise_value_t()
    #expect(make.invoke(&number, count: 1, into: &box) == promise_state_t(PROMISE_FULFILLED))
    #expect(box.kind == promise_kind_t(PROMISE_KIND_OBJECT))
    var result = promise_value_t()
    #expect(look.invoke(&box, count: 1, into: &result) == promise_state_t(PROMISE_FULFILLED))
    #expect(result.as.i64 == 11)
    promise_value_release(&box)
    try await waitUntil("11 ")
  }

  @Test("remaining objects are destroyed before the plugin ends, the newest first, and never afterwards")
  func unloading() async throws {
    let ended = try host.function("ended", of: "test.objects")
    var boxes = [try await object("box_new", 1), try await object("box_new", 2)]
    _ = await call("box_close", .value(boxes[0]))
    boxes.append(try await object("box_new", 3))
    #expect(host.unloadAll() == [])
    boxes = []
    var result = promise_value_t()
    _ = ended.invoke(nil, count: 0, into: &result)
    #expect(String(cString: promise_value_data(&result, nil)!) == "1 3 2 unloaded")
    promise_value_release(&result)
  }

  private func call(_ function: String, _ arguments: Argument...) async -> Outcome {
    await host.outcome(function, of: "test.objects", arguments)
  }

  private func number(_ function: String, _ arguments: Argument...) async -> PluginValue? {
    await host.outcome(function, of: "test.objects", arguments).value
  }

  private func text(_ function: String) async -> String {
    if case .string(let text)? = await call(function).value { text } else { "" }
  }

  private func object(_ function: String, _ number: Int64) async throws -> PluginValue {
    try #require(await call(function, .value(.int(number))).value)
  }

  private func object(_ function: String, _ outer: PluginValue, _ number: Int64) async throws -> PluginValue {
    try #require(await call(function, .value(outer), .value(.int(number))).value)
  }

  private func waitUntilFulfilled(_ promise: Promise<PluginValue>) async throws {
    try await waiting { promise.state != .pending }
    #expect(promise.state == .fulfilled)
  }

  /// Waits for destructors, which run on another thread.
  private func waitUntil(_ expected: String) async throws {
    try await waiting { await text("ended") == expected }
  }
}
