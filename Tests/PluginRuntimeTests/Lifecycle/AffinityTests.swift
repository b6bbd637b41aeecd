import CPromise
import Dispatch
import Glibc
import PluginRuntime
import Promises
import PromisesTestSupport
import Testing

import class Foundation.Thread

@Suite("Plugins with a thread of their own")
struct AffinityTests {
  private let log = Recorder<String>()

  /// Returns a host with plugins on threads, by their ids. `nil`: a plugin without one.
  private func host(_ threads: KeyValuePairs<String, SerialThread?> = ["test.affine": SerialThread()]) throws -> Host {
    let host = Host(Host.Options(log: { [log] in log.record("\($1) \($2)") }))
    for (id, thread) in threads {
      let path = try Fixture.plugin("affine", ["-DID=\"\(id)\""])
      if let thread { try host.load(path, on: thread) } else { try host.load(path) }
    }
    return host
  }

  private func text(_ text: String) -> Argument { .value(.string(text)) }

  @Test("all code of a plugin with its own thread runs there: initialisers, load(), calls, destructors, unload()")
  func all() async throws {
    let host = try host()
    let object = Promise<PluginValue>()
    host.call("make", of: "test.affine", [text("box")]).then({ object.resolve($0) }, { object.reject($0) })
    #expect(try await object.outcomeInTime().value != nil)
    let never = host.call("never", of: "test.affine")
    // By then the calls before it have returned.
    #expect(try await host.call("thread", of: "test.affine").outcomeInTime().value != .uint(0))
    never.discard()
    // Waits for no call, because all have ended.
    #expect(await onThread { host.unloadAll(deadline: .seconds(3_600)) } == [])
    #expect(log.events == ["load", "discard", "destroy", "unload"].map { "test.affine \($0) here" })
  }

  @Test("plugins with a thread of their own run one call at a time there, whichever threads call")
  func calls() async throws {
    let host = try host()
    let promises = await withTaskGroup(of: [Promise<PluginValue>].self) { group in
      for _ in 0..<8 {
        group.addTask { await onThread { (0..<50).map { _ in host.call("thread", of: "test.affine", on: .default) } } }
      }
      return await group.reduce(into: []) { $0 += $1 }
    }
    var seen: Set<String> = []
    for promise in promises { seen.insert("\(try await promise.outcomeInTime())") }
    #expect(seen.count == 1 && !seen.contains("\(Outcome.fulfilled(.uint(0)))"), "\(seen)")
  }

  @Test("plugins with a thread of their own call closures there, which may call them again")
  func callbacks() async throws {
    let host = try host()
    let body = PluginCallback { _ in
      let inner = host.call("thread", of: "test.affine")
      // The outcome is known at once, because the call is made on its thread.
      return inner.value == .uint(UInt64(pthread_self())) ? .uint(1) : .uint(2)
    }
    let outcome = try await host.call("with", of: "test.affine", [Argument(.callback(body))]).outcomeInTime()
    #expect(outcome.value == .uint(1), "\(outcome)")
  }

  @Test("plugins with a thread of their own are called by other plugins, each on its thread", arguments: [true, false])
  func others(hasThread: Bool) async throws {
    let host = try host(["test.affine": SerialThread(), "test.second": hasThread ? SerialThread() : nil])
    var seen: [PluginValue] = []
    for (caller, called) in [("test.affine", "test.affine"), ("test.second", "test.affine")] {
      let outcome = try await host.call("other", of: caller, [text(called)]).outcomeInTime()
      seen.append(try #require(outcome.value))
    }
    #expect(seen[0] == seen[1] && seen[0] != .uint(0))
    if hasThread {
      let back = try await host.call("other", of: "test.affine", [text("test.second")]).outcomeInTime()
      #expect(back.value != nil && back.value != .uint(0) && back.value != seen[0])
    }
  }

  @Test("plugins with a thread of their own may call each other at the same time")
  func both() async throws {
    let host = try host(["test.affine": SerialThread(), "test.second": SerialThread()])
    let ids = ["test.affine", "test.second"]
    let calls = (0..<400).map { host.call("other", of: ids[$0 % 2], [text(ids[($0 + 1) % 2])]) }
    for call in calls {
      let outcome = try await call.outcomeInTime()
      #expect(outcome.value != nil && outcome.value != .uint(0), "\(outcome)")
    }
  }

  @Test("plugins with a thread of their own may share a thread")
  func shared() async throws {
    let thread = SerialThread()
    let host = try host(["test.affine": thread, "test.second": thread])
    let first = try await host.call("thread", of: "test.affine").outcomeInTime().value
    let second = try await host.call("other", of: "test.affine", [text("test.second")]).outcomeInTime().value
    #expect(first == second && first != .uint(0))
  }

  @Test("plugins with a thread of their own run binary calls there, with errno")
  func binary() throws {
    let host = try host()
    let function = try host.function("last_error", of: "test.affine")
    var argument = promise_value_t()
    (argument.kind, argument.as.i64) = (promise_kind_t(PROMISE_KIND_I64), 33)
    var result = promise_value_t()
    #expect(function.invoke(&argument, count: 1, into: &result) == promise_state_t(PROMISE_FULFILLED))
    #expect(errno == 33 && result.as.i64 == 33)
    // A function that only reads errno finds the caller's.
    argument.as.i64 = -1
    errno = 44
    function.invoke(&argument, count: 1, into: &result)
    #expect(errno == 44 && result.as.i64 == 44)
  }

  @Test("plugins with a thread of their own reject the calls that wait for a function when the host shuts down")
  func busy() async throws {
    let host = try host()
    let isEntered = Promise<PluginValue>()
    let isOpen = DispatchSemaphore(value: 0)
    let body = PluginCallback { _ in
      isEntered.resolve(.void)
      isOpen.wait()
      return .uint(3)
    }
    let blocked = host.call("with", of: "test.affine", [Argument(.callback(body))])
    #expect(try await isEntered.outcomeInTime().value == .void)
    let waiting = (0..<3).map { _ in host.call("thread", of: "test.affine") }
    #expect(await onThread { host.unloadAll(deadline: .milliseconds(20)) } == ["test.affine"])
    for call in waiting { #expect(try await call.outcomeInTime().pluginError?.kind == .closed) }
    isOpen.signal()
    #expect(try await blocked.outcomeInTime().value == .uint(3))
  }

  @Test("plugins with a thread of their own are not unloaded while a function of another plugin runs there")
  func occupied() async throws {
    let thread = SerialThread()
    let host = try host(["test.affine": thread, "test.second": thread])
    let (entered, gate) = (Gate(), Gate())
    defer { gate.open() }
    let body = PluginCallback.waiting(entered, gate, returning: .uint(3))
    let blocked = host.call("with", of: "test.affine", [Argument(.callback(body))])
    await onThread { entered.wait() }
    // The second plugin is the first to be unloaded.
    #expect(try await host.unloadAllInTime(deadline: .milliseconds(20)) == ["test.second", "test.affine"])
    gate.open()
    #expect(try await blocked.outcomeInTime().value == .uint(3))
    #expect(!log.events.contains { $0.contains("unload") })
  }

  @Test(
    "plugins are not unloaded while their discard blocks run, with a thread of their own or not",
    arguments: [true, false])
  func discarding(hasThread: Bool) async throws {
    let host = try host(["test.affine": hasThread ? SerialThread() : nil])
    let (entered, gate) = (Gate(), Gate())
    defer { gate.open() }
    let body = PluginCallback.waiting(entered, gate)
    let set = host.call("on_discard", of: "test.affine", [Argument(.callback(body))])
    #expect(try await set.outcomeInTime().value == .void)
    let never = host.call("never", of: "test.affine")
    _ = try await host.call("thread", of: "test.affine").outcomeInTime()
    let over = Recorder<Int>()
    DispatchQueue.global().async {
      never.discard()
      over.record(1)
    }
    await onThread { entered.wait() }
    #expect(try await host.unloadAllInTime(deadline: .zero) == ["test.affine"])
    #expect(!log.events.contains { $0.contains("unload") })
    gate.open()
    try await waiting(for: { over.count == 1 })
  }

  @Test("plugins with a thread of their own are refused if they cannot be loaded, with the reason")
  func refused() throws {
    let path = try Fixture.plugin("refuses")
    let error = #expect(throws: PluginError.self) { try Host().load(path, on: SerialThread()) }
    #expect(error?.message.hasPrefix("refuses to be loaded") == true)
  }
}

extension Host {
  /// Unloads all plugins, on a thread, and returns the skipped ones. Throws after a minute.
  func unloadAllInTime(deadline: Duration) async throws -> [String] {
    let skipped = Recorder<[String]>()
    Thread.detachNewThread { [self] in skipped.record(unloadAll(deadline: deadline)) }
    try await waiting(for: { skipped.count == 1 })
    return skipped.events[0]
  }
}
