import CPromise
import PluginRuntime
import Promises
import PromisesTestSupport
import Synchronization
import Testing

@Suite("Callbacks: calls")
struct CallbackCalls: CallsPlugin {
  static let plugin = "test.callbacks"
  let host: Host
  let log = Recorder<String>()

  init() throws { host = try .loading("callbacks", log: log) }

  @Test("a plugin calls a closure, with its arguments, and gets its result")
  func call() async {
    let seen = Recorder<[PluginValue]>()
    let visit = Argument.callback { arguments in
      seen.record(arguments)
      return .bool(arguments[0] != .int(2))
    }
    #expect(await outcome("walk", .value(.int(5)), visit).value == .int(2))
    #expect(
      seen.events == [
        [.int(0), .string("zero")], [.int(1), .string("one")], [.int(2), .string("two")],
      ])
  }

  @Test("C's own qsort() calls a closure, with the values behind its pointers")
  func qsort() async {
    let numbers = PluginValue.array([3, -1, 7, 0, 2].map { .int($0) })
    let compare = Argument.Content.callback(
      PluginCallback { arguments in
        guard case .int(let left) = arguments[0], case .int(let right) = arguments[1] else { return .int(0) }
        return .int(left < right ? 1 : left > right ? -1 : 0)
      })
    let sorted = await outcome("qsort", .value(numbers), Argument(name: "compare", compare)).value
    #expect(sorted?[member: "base"] == .array([7, 3, 2, 0, -1].map { .int($0) }))
  }

  @Test("types of every kind cross, both ways, structs by value among them")
  func types() async {
    let point = PluginValue.object([PluginMember("x", .double(2.25)), PluginMember("y", .int(-9))])
    let seen = Recorder<[PluginValue]>()
    let shapes = Argument.callback { arguments in
      seen.record(arguments)
      return point
    }
    #expect(await outcome("shapes", shapes).value == point)
    #expect(
      seen.events == [
        [
          .uint(250), .double(1.5), .string("hé"), .bytes([1, 2, 3]),
          .object([PluginMember("x", .double(-0.5)), PluginMember("y", .int(-7))]), .bytes([1, 2]), .void, .int(.min),
        ]
      ])
  }

  @Test("a struct whose halves go to registers of two kinds arrives, though it has the last one for integers")
  func halves() async {
    let seen = Recorder<[PluginValue]>()
    let crowd = Argument.callback { arguments in
      seen.record(arguments)
      return .double(0.125)
    }
    #expect(await outcome("crowd", crowd).value == .double(0.125))
    let half = PluginValue.object([PluginMember("whole", .int(-6)), PluginMember("part", .double(0.25))])
    let integers = (1...5).map { PluginValue.int($0) }
    #expect(seen.events == [integers + [.double(0.5), half, .double(8), .int(9)]])
  }

  @Test("a binary callback gets values as C has them, scalars or not, and rejects with any of them")
  func binary() async {
    let twice = PluginCallback(binary: { arguments, count, result in
      guard count == 1, arguments[0].kind == promise_kind_t(PROMISE_KIND_I64) else {
        return promise_state_t(PROMISE_REJECTED)
      }
      if arguments[0].as.i64 == 13 {
        promise_value_string(result, "unlucky", 7)
        return promise_state_t(PROMISE_REJECTED)
      }
      result.pointee = arguments[0]
      result.pointee.as.i64 *= arguments[0].as.i64 == 99 ? 1 << 40 : 2
      return promise_state_t(PROMISE_FULFILLED)
    })
    #expect(await outcome("maybe", Argument(.callback(twice))).value == .int(40))
    for (value, message) in [(13, nil), (99, "is 108851651149824, expected an integer")] as [(Int64, String?)] {
      _ = await outcome("keep_forever", Argument(.callback(twice)))
      let call = host.call("keep_settled", of: "test.callbacks", [Argument(.callback(twice))])
      #expect(await outcome("call_kept", .value(.int(2)), .value(.int(value))).value == .int(0))
      let reason = await call.outcome()
      if let message {
        #expect(reason.pluginError?.message.contains(message) == true)
      } else {
        #expect(reason.reason as? String == "unlucky")
      }
      _ = await outcome("settle")
    }
    let kinds = Recorder<[promise_kind_t]>()
    let shape = PluginCallback(binary: { arguments, count, result in
      kinds.record((0..<count).map { arguments[$0].kind })
      return promise_state_t(PROMISE_REJECTED)
    })
    #expect(await outcome("shapes", Argument(.callback(shape))).reason == nil)
    #expect(
      kinds.events.map { $0.map { Int($0) } } == [
        [
          PROMISE_KIND_U64, PROMISE_KIND_F64, PROMISE_KIND_STRING, PROMISE_KIND_BYTES, PROMISE_KIND_BYTES,
          PROMISE_KIND_BYTES, PROMISE_KIND_VOID, PROMISE_KIND_I64,
        ].map { Int($0) }
      ])
  }

  @Test("a binary callback is lent its arguments: they are freed when it has returned")
  func binaryFrees() async throws {
    let body = PluginCallback(binary: { _, _, result in
      result.pointee = promise_value_t()
      result.pointee.kind = promise_kind_t(PROMISE_KIND_I64)
      return promise_state_t(PROMISE_FULFILLED)
    })
    func values() -> Int {
      var counts = promise_statistics_t()
      counts.size = UInt32(MemoryLayout<promise_statistics_t>.size)
      return promise_statistics(&counts) == PROMISE_OK ? Int(counts.values) : .max
    }
    let before = values()
    for _ in 0..<2000 {
      #expect(await outcome("counted", .value(.int(4)), Argument(.callback(body))).value == .int(0))
    }
    // If none was freed, there would be 2000 more. Other tests have some for a while.
    try await waiting(for: { values() < before + 1000 })
  }

  @Test("a count that is negative is refused")
  func negativeCount() async {
    let seen = Recorder<[PluginValue]>()
    let body = Argument.callback { arguments in
      seen.record(arguments)
      return .int(1)
    }
    #expect(await outcome("counted", .value(.int(2)), body).value == .int(1))
    let error = await outcome("counted", .value(.int(-1)), body).pluginError
    #expect(error?.kind == .badResult)
    #expect(error?.message.contains("'data' has a ") == true, "\(String(describing: error))")
    #expect(seen.events == [[.bytes(Array("fo".utf8))]])
  }

  @Test("a text that a callback returns belongs to C")
  func given() async {
    let body = Argument.callback { arguments in
      guard case .uint(let index) = arguments[0] else { return .void }
      return .string(String(repeating: "x", count: Int(index) * 16))
    }
    #expect(await outcome("length_of_given", body).value == .uint((0..<64).reduce(0) { $0 + $1 * 16 }))
  }

  @Test("optional arguments and results of a callback may be left out, others may not")
  func optional() async {
    #expect(await outcome("maybe").value == .int(-1))
    #expect(await outcome("maybe", .value(.void)).value == .int(-1))
    #expect(await outcome("maybe", .callback { _ in .int(7) }).value == .int(7))
    let missing = await outcome("keep_call").pluginError
    #expect(missing?.kind == .badArgument)
    #expect(missing?.message.contains("lacks the argument 'f'") == true)
    let wrong = await outcome("keep_call", .value(.string("text"))).pluginError
    #expect(wrong?.message == "argument 'f' is a value of type string, expected a callback, fn(i32) -> i32 @call")
    let other = await outcome("call_kept", .callback { _ in .void }, .value(.int(1))).pluginError
    #expect(other?.kind == .badArgument)
  }

  @Test("a C function that came from a plugin is passed to it unchanged")
  func pointer() async throws {
    let doubler = try #require(await outcome("doubler").value)
    guard case .pointer(let pointer) = doubler else {
      Issue.record("\(doubler)")
      return
    }
    let maybe = try host.function("maybe", of: "test.callbacks")
    var argument = promise_value_t()
    argument.kind = promise_kind_t(PROMISE_KIND_POINTER)
    argument.as.ptr = UnsafeMutableRawPointer(bitPattern: pointer.address)
    var result = promise_value_t()
    #expect(maybe.invoke(&argument, count: 1, into: &result) == PROMISE_FULFILLED)
    #expect(result.as.i64 == 40)
  }

  @Test("threads of the plugin call at once, and so does a child of fork()")
  func threads() async {
    let calls = Atomic<Int>(0)
    let counts = Counts()
    let each = Argument.callback { arguments in
      counts.calls.add(1, ordering: .relaxed)
      guard case .int(let thread) = arguments[0], case .int(let turn) = arguments[1] else { return .int(-1) }
      return .int(thread * 1000 + turn)
    }
    let sum = (0..<8).flatMap { thread in (0..<100).map { thread * 1000 + $0 } }.reduce(0, +)
    #expect(await outcome("on_threads", .value(.int(8)), each).value == .int(Int64(sum)))
    #expect(counts.calls.load(ordering: .relaxed) == 800)
    #expect(calls.load(ordering: .relaxed) == 0)
    #expect(await outcome("in_child", .callback { _ in .int(42) }).value == .int(42))
  }

  @Test("a callback may call the plugin, which calls it again")
  func reentrancy() async {
    let host = host
    let depths = Recorder<Int>()
    @Sendable func nested(_ depth: Int) -> Argument {
      .callback { arguments in
        depths.record(depth)
        if depth < 5 {
          let inner = host.call("walk", of: "test.callbacks", [.value(.int(1)), nested(depth + 1)])
          guard inner.state == .fulfilled else { return .bool(false) }
        }
        return .bool(true)
      }
    }
    #expect(await outcome("walk", .value(.int(2)), nested(0)).value == .int(2))
    #expect(depths.events == [0, 1, 2, 3, 4, 5, 0, 1, 2, 3, 4, 5])
  }

  @Test("an error that a callback throws rejects the call; C receives zeros and continues")
  func throwing() async {
    struct Full: Error, Equatable { let at: Int }
    let calls = Recorder<PluginValue>()
    let visit = Argument.callback { arguments in
      calls.record(arguments[0])
      if arguments[0] == .int(1) { throw Full(at: 1) }
      return .bool(true)
    }
    #expect(await outcome("walk", .value(.int(3)), visit).reason as? Full == Full(at: 1))
    #expect(calls.events == [.int(0), .int(1)])
  }

  @Test("the first of several errors rejects the call")
  func throwingTwice() async {
    struct Full: Error, Equatable { let at: PluginValue }
    let calls = Recorder<PluginValue>()
    let add = Argument.callback { arguments in
      calls.record(arguments[0])
      throw Full(at: arguments[0])
    }
    #expect(await outcome("each", .value(.int(3)), add).reason as? Full == Full(at: .int(0)))
    #expect(calls.events == [.int(0), .int(1), .int(2)])
  }

  @Test("an error that is thrown while the call's promise is pending rejects it, and the plugin's is discarded")
  func throwingLater() async {
    struct Full: Error, Equatable {}
    let promise = host.call("keep_settled", of: "test.callbacks", [.callback { _ in throw Full() }])
    #expect(await outcome("call_kept", .value(.int(2)), .value(.int(1))).value == .int(0))
    #expect(await promise.outcome().reason as? Full == Full())
    _ = await outcome("settle")
  }

  @Test("an error that is thrown when the call is over is logged", arguments: ["keep_forever", "keep_forever_settled"])
  func throwingTooLate(_ function: String) async {
    struct Full: Error {}
    #expect(await outcome(function, .callback { _ in throw Full() }).value == .void)
    #expect(await outcome("call_kept", .value(.int(3)), .value(.int(1))).value == .int(0))
    #expect(
      log.events == [
        "error test.callbacks: the callback 'f' of test.callbacks.\(function) threw when its call was over: Full()"
      ])
  }

  @Test("an error that is thrown after invoke() has returned a promise is logged, because it cannot reject that")
  func throwingAfterInvoke() async throws {
    struct Full: Error {}
    let function = try host.function("keep_settled", of: "test.callbacks")
    guard case .callback(let callback) = Argument.callback({ _ in throw Full() }).content else { return }
    var (argument, result) = (try #require(callback.wrapped), promise_value_t())
    #expect(function.invoke(&argument, count: 1, into: &result) == PROMISE_FULFILLED)
    #expect(await outcome("call_kept", .value(.int(2)), .value(.int(1))).value == .int(0))
    _ = await outcome("settle")
    promise_value_release(&result)
    promise_value_release(&argument)
    #expect(
      log.events == [
        "error test.callbacks: the callback 'f' of test.callbacks.keep_settled threw when it could no longer reject the "
          + "call: Full()"
      ])
  }

  @Test("a callback has to return a value of the signature's type")
  func results() async {
    let error = await outcome("maybe", .callback { _ in .string("no number") }).pluginError
    #expect(error?.kind == .badResult)
    #expect(
      error?.description
        == "test.callbacks.maybe: the callback 'f' returned a value that does not suit its signature: it is a string, "
        + "expected an integer from -2147483648 to 2147483647")
    #expect(await outcome("maybe", .callback { _ in .int(1 << 40) }).pluginError != nil)
    #expect(await outcome("maybe", .callback { _ in .void }).pluginError != nil)
  }

  @Test(
    "the arguments that a plugin passes must suit the signature",
    arguments: [
      (1, "'flag' is 2, expected false or true, which are 0 and 1 in C"), (2, "'text' is not UTF-8"),
      (3, "'text' is NULL, expected a string"), (4, "'line' is NULL, expected a string"),
    ])
  func lies(_ how: Int64, _ message: String) async {
    let calls = Recorder<[PluginValue]>()
    let body = Argument.callback { arguments in
      calls.record(arguments)
      return .int(9)
    }
    #expect(await outcome("lie", .value(.int(0)), body).value == .int(9))
    #expect(calls.events == [[.bool(true), .string(""), .string("fine")]])
    let error = await outcome("lie", .value(.int(how)), body).pluginError
    #expect(error?.kind == .badResult)
    #expect(
      error?.description
        == "test.callbacks.lie: called the callback 'f' with a value that does not suit its signature: \(message)")
    #expect(calls.count == 1)
  }

  @Test("a wrong scalar for a binary callback is an error that describes it; the callback is not called")
  func wrongScalar() async {
    let calls = Recorder<Int>()
    let body = PluginCallback(binary: { _, count, _ in
      calls.record(count)
      return promise_state_t(PROMISE_FULFILLED)
    })
    let error = await outcome("fib", Argument(.callback(body))).pluginError
    #expect(error?.kind == .badResult)
    #expect(
      error?.message == "called the callback 'f' with a value that does not suit its signature: 'flag' is 2, expected "
        + "false or true, which are 0 and 1 in C")
    #expect(calls.count == 0)
  }

  @Test("a plugin passes the host's context back to the callback; another context is refused")
  func context() async {
    let seen = Recorder<[PluginValue]>()
    let body = Argument.callback { arguments in
      seen.record(arguments)
      return .int(100)
    }
    #expect(await outcome("each", .value(.int(3)), body).value == .int(300))
    #expect(seen.events == [[.int(0)], [.int(1)], [.int(2)]])
    #expect(await outcome("forge", body).value == .int(100))
    #expect(log.events.count == 2)
    #expect(log.events.allSatisfy { $0.contains("with another context than the one that was passed with it") })
  }
}

private final class Counts: Sendable {
  let calls = Atomic<Int>(0)
}
