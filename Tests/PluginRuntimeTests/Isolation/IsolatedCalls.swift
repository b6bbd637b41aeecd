import PluginRuntime
import Promises
import PromisesTestSupport
import Testing

@Suite("Isolation: calls", .serialized)
struct IsolatedCalls {
  @Test("isolated calls have the results that they have in-process: values, reasons, errors in arguments")
  func same() async throws {
    let isolated = try IsolatedPlugin.loading("promises")
    let host = try Host.loading("promises")
    #expect(isolated.description.functions == host.plugins[0].functions)
    let calls: [(String, [Argument])] = [
      ("i8", [.value(.int(-5))]), ("i8", [.value(.int(300))]), ("u16", [.text("65535")]),
      ("f64", [.value(.double(-0.5))]),
      ("b", [.value(.bool(true))]), ("none", []), ("str", [.value(.string("\u{0}h\u{e9}"))]),
      ("bytes", [.value(.bytes([0, 255]))]), ("bytes", [Argument(.contents([1, 2]))]), ("fail", [.text("because")]),
      ("i8", []), ("i8", [.text("x")]), ("i8", [.text("1"), .text("2")]), ("null", []), ("str_as_number", [.text("x")]),
      ("i8", [Argument(name: "value", .json(try JSONText(parsing: Array("7".utf8))))]),
      ("i8", [Argument(name: "nothing", .text("7"))]), ("twofold", [.value(.int(4))]),
    ]
    for (function, arguments) in calls {
      let one = try await isolated.call(function, arguments, timeout: nil).outcomeInTime()
      let other = try await host.call(function, of: "test.promises", arguments).outcomeInTime()
      #expect(one.value == other.value, "\(function)")
      #expect(one.pluginError == other.pluginError, "\(function)")
      #expect(one.promiseError == other.promiseError, "\(function)")
      #expect((one.reason == nil) == (other.reason == nil), "\(function)")
    }
    let unknown = try await isolated.outcome("nothing")
    #expect(unknown.pluginError?.kind == .unknownFunction)
    isolated.unload()
  }

  @Test("are reported if they fail and nothing handles that, as in-process: the host handles no rejection")
  func unhandled() async {
    // In a process of its own, for hooks are the process's.
    await #expect(processExitsWith: .success) {
      let reported = Recorder<UInt64>()
      PromiseHooks.install(PromiseHooks(unhandledRejection: { id, _ in reported.record(id) }))
      let host = Host()
      try host.load(try Fixture.plugin("promises"), isolation: .tests)
      var failed: Promise<PluginValue>? = host.call("fail", of: "test.promises", [.text("because")])
      let id = try #require(failed?.id)
      // Reading the outcome would handle it.
      try await waiting { failed?.future.isSettled == true }
      failed = nil
      try await waiting { reported.events.contains(id) }
      host.unloadAll()
    }
  }

  @Test("are made after a function has cancelled its thread, which reads frames too")
  func cancelledThread() async throws {
    let plugin = try IsolatedPlugin.loading("leaving")
    for _ in 0..<3 { #expect(try await plugin.outcome("cancel_thread_later").value == .int(1)) }
    #expect(try await plugin.outcome("clean_count").value == .int(0))
  }

  @Test("isolated calls pass promises that are settled later, with a value or a reason")
  func promises() async throws {
    let plugin = try IsolatedPlugin.loading("promises")
    let (one, other) = (Promise<PluginValue>(), Promise<PluginValue>())
    let doubled = plugin.call("twofold", [Argument(.promise(one))], timeout: nil)
    let failed = plugin.call("twofold", [Argument(.promise(other))], timeout: nil)
    #expect(try await plugin.outcome("i8", .int(1)).value == .int(1))
    #expect(doubled.state == .pending)
    one.resolve(.int(21))
    other.reject(PromiseError(domain: "test", code: 3, message: "no number"))
    #expect(try await doubled.outcomeInTime().value == .int(42))
    #expect(
      try await failed.outcomeInTime().promiseError == PromiseError(domain: "test", code: 3, message: "no number"))
  }

  @Test("many isolated calls run at once")
  func many() async throws {
    let plugin = try IsolatedPlugin.loading("dying")
    let promises = (0..<500).map { plugin.call("later", [.value(.int($0)), .value(.uint(20))], timeout: nil) }
    for (index, promise) in promises.enumerated() {
      #expect(try await promise.outcomeInTime().value == .int(Int64(index)))
    }
  }

  @Test("isolated calls report progress in order, and before their promise is settled")
  func progress() async throws {
    let (all, own, receivers) = (Recorder<String?>(), Recorder<String?>(), Recorder<String>())
    let plugin = try IsolatedPlugin.loading(
      "progress",
      host: Host.Options(progress: {
        all.record($0.message)
        receivers.record("all")
      }))
    let call = plugin.call("begin", [], timeout: nil) {
      own.record($0.message)
      receivers.record("own")
    }
    // The worker runs calls side by side: until the first has returned, no report of it is known.
    try await waiting { own.count > 0 }
    for number in 0..<100 {
      #expect(try await plugin.outcome("more", .double(0.5), .string("\(number)")).value == .void)
    }
    #expect(try await plugin.outcome("finish").value == .void)
    #expect(try await call.outcomeInTime().value == .void)
    #expect(own.events == ["before it returns"] + (0..<100).map { "\($0)" })
    #expect(all.events == own.events)
    // For each report, the receiver of the call comes first.
    #expect(receivers.events == (0..<101).flatMap { _ in ["own", "all"] })
  }

  @Test("discarding the promise of an isolated call discards it in the worker")
  func discard() async throws {
    let plugin = try IsolatedPlugin.loading("promises")
    let call = plugin.call("sum", [.value(.bytes([1, 2]))], timeout: nil)
    #expect(try await plugin.outcome("discarded").value == .int(0))
    call.discard()
    #expect(call.rejectReason is Discarded)
    try await waiting { try await plugin.outcome("discarded").value == .int(1) }
    #expect(try await plugin.outcome("go").value == .void)
    #expect(try await plugin.outcome("seen").value == .int(3))
  }

  @Test("isolated calls find their settings, and write to the log of the host")
  func settings() async throws {
    let lines = Recorder<String>()
    let host = Host.Options(
      configuration: ["test.dying": ["place": "here"]], log: { lines.record("\($0) \($1) \($2)") })
    let plugin = try IsolatedPlugin.loading("dying", host: host)
    for key in ["place", "nothing"] { #expect(try await plugin.outcome("log_setting", .string(key)).value == .void) }
    #expect(lines.events == ["warning test.dying here", "warning test.dying no value"])
  }

  @Test("a function that requires a token is refused in a worker, and the others are called")
  func tokens() async throws {
    let plugin = try IsolatedPlugin.loading("asking") { $0.limits.inFlight = 1 }
    let token = PluginValue.pointer(PluginPointer(name: "promise_token_t", address: 4096))
    for arguments in [[], [token]] {
      let call = plugin.call("takes_token", arguments.map { .value($0) }, timeout: nil)
      let error = try await call.outcomeInTime().pluginError
      #expect(error?.kind == .notIsolated && error?.subject == "test.asking.takes_token", "\(error as Any)")
      #expect(
        error?.message
          == "cannot be called in a worker process: it takes a token, 'token', which is an object of the host. Run the "
          + "plugin in-process (--isolation in-process, plugin-host trust add), or make the parameter optional: token?")
    }
    #expect(try await plugin.outcome("may_take_token", .void).value == .bool(false))
    #expect(try await plugin.outcome("may_take_token", token).pluginError?.kind == .badArgument)
    try plugin.reload(deadline: .seconds(60))
    #expect(try await plugin.outcome("echo", .int(3)).value == .int(3))
    plugin.unload()
  }

  @Test("isolated calls take the handles of their worker alone")
  func handles() async throws {
    let (one, other) = (try IsolatedPlugin.loading("dying"), try IsolatedPlugin.loading("dying"))
    let thing = try #require(try await one.outcome("make", .int(5)).value)
    #expect(try await one.outcome("look", thing).value == .int(5))
    let wrong = try await other.outcome("look", thing)
    #expect(wrong.pluginError?.kind == .badArgument)
    #expect(wrong.pluginError?.message.contains("a handle or an address of another process") == true)
    #expect(try await one.outcome("die", .string("kill")).workerEnd != nil)
    #expect(try await one.outcome("look", thing).pluginError?.kind == .badArgument)
    let again = try #require(try await one.outcome("make", .int(6)).value)
    #expect(again != thing)
    #expect(try await one.outcome("look", again).value == .int(6))
    let address = PluginValue.pointer(PluginPointer(name: "thing", address: 8))
    #expect(try await one.outcome("look", address).pluginError?.kind == .badArgument)
  }
}
