import CPromise
import PluginRuntime
import Promises
import PromisesTestSupport
import Synchronization
import Testing

@testable import PluginRuntime

@Suite("Callbacks: scopes")
struct Scopes: CallsPlugin {
  static let plugin = "test.callbacks"
  let host: Host
  let log = Recorder<String>()

  init() throws { host = try .loading("callbacks", log: log) }

  @Test("@call: a callback lives until the function returns")
  func call() async {
    let tokens = TokenCount()
    #expect(await outcome("keep_call", tripling(tokens)).value == .void)
    #expect(tokens.isOver)
    #expect(await callKept(0, 5) == .int(0))
    #expect(
      log.events == [
        "warning test.callbacks: the callback 'f' of test.callbacks.keep_call was called after the function that it was "
          + "given to had returned, which is the end of @call: the call did nothing"
      ])
  }

  @Test("@once: a callback lives until it was called")
  func once() async {
    let tokens = TokenCount()
    #expect(await outcome("keep_once", tripling(tokens)).value == .void)
    #expect(!tokens.isOver)
    #expect(await callKept(1, 5) == .int(15))
    #expect(tokens.isOver)
    #expect(await callKept(1, 5) == .int(0))
    #expect(
      log.events == [
        "warning test.callbacks: the callback 'f' of test.callbacks.keep_once was called a second time, expected once: "
          + "the call did nothing"
      ])
  }

  @Test("@settled: a callback lives until the promise is settled, and ends before callbacks of the promise run")
  func settled() async {
    let tokens = TokenCount()
    let promise = host.call("keep_settled", of: "test.callbacks", [tripling(tokens)])
    let wasGone = Mutex<Bool?>(nil)
    promise.then({ _ in wasGone.withLock { $0 = tokens.isOver } }, nil)
    #expect(await callKept(2, 5) == .int(15))
    #expect(!tokens.isOver)
    _ = await outcome("settle")
    #expect(wasGone.withLock { $0 } == true)
    #expect(await callKept(2, 5) == .int(0))
    #expect(log.events.count == 1)
    #expect(log.events.first?.contains("after the promise was settled, which is the end of @settled") == true)
  }

  @Test("a promise that is discarded ends the scope as well, but a plugin that has not noticed is not blamed")
  func discarded() async {
    let tokens = TokenCount()
    let promise = host.call("keep_settled", of: "test.callbacks", [tripling(tokens)])
    promise.discard()
    #expect(tokens.isOver)
    #expect(await callKept(2, 5) == .int(0))
    #expect(log.events == [])
    _ = await outcome("settle")
  }

  @Test("a function that fails ends the scope, too")
  func failed() async {
    let tokens = TokenCount()
    #expect(await outcome("keep_and_fail", tripling(tokens)).promiseError?.code == 4)
    #expect(tokens.isOver)
    #expect(await callKept(2, 5) == .int(0))
    #expect(log.events.count == 1)
  }

  @Test("@forever: a callback lives until the plugin is unloaded, its unload() included")
  func forever() async throws {
    let tokens = TokenCount()
    let calls = Recorder<Int64>()
    #expect(await outcome("keep_forever", tripling(tokens, calls)).value == .void)
    #expect(await callKept(3, 5) == .int(15))
    #expect(await callKept(3, 6) == .int(18))
    let function = try host.function("call_kept", of: "test.callbacks")
    #expect(host.unloadAll() == [])
    // unload() calls the callback once more.
    #expect(calls.events == [5, 6, 100])
    #expect(tokens.isOver)
    // The code of a plugin stays mapped, and its threads may still call.
    #expect(function.invoked(.int(3), .int(7)) == .int(0))
    #expect(calls.count == 3)
    #expect(log.events.count == 1)
    #expect(log.events.first?.contains("after the plugin was unloaded, which is the end of @forever") == true)
  }

  @Test("a callback that is never called is released with the plugin")
  func unloaded() async throws {
    let tokens = TokenCount()
    #expect(await outcome("keep_once", tripling(tokens)).value == .void)
    let function = try host.function("call_kept", of: "test.callbacks")
    #expect(host.unloadAll() == [])
    #expect(tokens.isOver)
    #expect(function.invoked(.int(1), .int(7)) == .int(0))
    #expect(log.events.count == 1)
  }

  @Test("a callback that is passed after the plugin was unloaded ends at once")
  func afterUnloading() throws {
    let gone = TokenCount()
    let function = try host.function("keep_forever", of: "test.callbacks")
    #expect(host.unloadAll() == [])
    try {
      guard case .callback(let callback) = tripling(gone).content else { return }
      var (argument, result) = (try #require(callback.wrapped), promise_value_t())
      #expect(function.invoke(&argument, count: 1, into: &result) == PROMISE_FULFILLED)
      promise_value_release(&argument)
    }()
    #expect(gone.isOver)
    #expect(log.events == [])
  }

  @Test("late calls are logged at increasing intervals")
  func flood() async throws {
    #expect(await outcome("keep_call", tripling(TokenCount())).value == .void)
    let function = try host.function("call_kept", of: "test.callbacks")
    for _ in 0..<1000 { #expect(function.invoked(.int(0), .int(1)) == .int(0)) }
    #expect(log.events.count == 10)
    #expect(log.events.last?.hasSuffix("the call did nothing (512 such calls so far)") == true)
  }

  @Test("10,000 calls with callbacks leave no callback behind, and each closure is released")
  func many() async throws {
    let alive = TokenCount()
    for number in 0..<10_000 {
      if number % 2 == 0 {
        _ = host.call("keep_call", of: "test.callbacks", [tripling(alive)])
      } else {
        _ = host.call("keep_once", of: "test.callbacks", [tripling(alive)])
        _ = host.call("call_kept", of: "test.callbacks", [.value(.int(1)), .value(.int(Int64(number)))])
      }
    }
    #expect(alive.isOver)
    #expect(alive.count == 10_000)
    #expect(host.registry["test.callbacks"]?.callbacks.count == 0)
    #expect(log.events == [])
  }

  private func callKept(_ which: Int64, _ value: Int64) async -> PluginValue? {
    await outcome("call_kept", .value(.int(which)), .value(.int(value))).value
  }
}

/// Returns a callback that triples its argument, and holds a token.
private func tripling(_ tokens: TokenCount, _ calls: Recorder<Int64>? = nil) -> Argument {
  let token = Token(tokens)
  return .callback { [token] arguments in
    guard case .int(let number) = arguments[0] else { return .void }
    withExtendedLifetime(token) { calls?.record(number) }
    return .int(number * 3)
  }
}

/// An object that a callback holds; it counts its release.
private final class Token: Sendable {
  private let tokens: TokenCount

  init(_ tokens: TokenCount) {
    self.tokens = tokens
    tokens.alive.add(1, ordering: .acquiringAndReleasing)
  }

  deinit {
    tokens.alive.subtract(1, ordering: .acquiringAndReleasing)
    tokens.ended.add(1, ordering: .acquiringAndReleasing)
  }
}

private final class TokenCount: Sendable {
  let alive = Atomic<Int>(0)
  let ended = Atomic<Int>(0)
  /// The number of released tokens.
  var count: Int { ended.load(ordering: .acquiring) }
  /// Whether tokens were released, and none is left.
  var isOver: Bool { count > 0 && alive.load(ordering: .acquiring) == 0 }
}

extension PluginFunction {
  /// Returns the function's result, called on this thread and bypassing the host.
  fileprivate func invoked(_ arguments: PluginValue...) -> PluginValue? {
    let values = arguments.map { argument in
      var value = promise_value_t()
      guard case .int(let number) = argument else { return value }
      value.kind = promise_kind_t(PROMISE_KIND_I64)
      value.as.i64 = number
      return value
    }
    var result = promise_value_t()
    guard invoke(values, count: values.count, into: &result) == PROMISE_FULFILLED else { return nil }
    return .int(result.as.i64)
  }
}
