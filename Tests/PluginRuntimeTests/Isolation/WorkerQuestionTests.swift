import Dispatch
import Glibc
import Promises
import PromisesTestSupport
import Synchronization
import Testing

@testable import PluginRuntime

@Suite("Isolation: questions of a worker", .serialized)
struct WorkerQuestionTests {
  /// A callback that waits for a permit before it answers.
  private final class Answer: Sendable {
    let permit = DispatchSemaphore(value: 0)
    let isAsked = Atomic<Bool>(false)
    let number: Int64

    init(_ number: Int64) { self.number = number }

    var argument: Argument {
      Argument(
        .callback(
          PluginCallback { [self] _ in
            isAsked.store(true, ordering: .sequentiallyConsistent)
            permit.wait()
            return .int(number)
          }))
    }
  }

  @Test("closures of one plugin that all wait do not delay the answers to another")
  func ofOthers() async throws {
    let threads = 8
    let asking = try IsolatedPlugin.loading("asking") { $0.questionThreads = threads }
    let other = try IsolatedPlugin.loading("asking")
    let (gate, asked) = (Gate(), Recorder<Int>())
    defer { gate.open() }
    let body = Argument.callback { arguments in
      asked.record(1)
      gate.wait()
      return arguments[0]
    }
    let calls = (0...threads).map { _ in asking.call("ask", [body, .value(.int(7))], timeout: nil) }
    try await waiting(for: { asked.count >= threads })
    #expect(try await other.outcome("refuse", .uint(1)).reason != nil)
    #expect(asked.count == threads)
    gate.open()
    for call in calls { #expect(try await call.outcomeInTime().value == .int(7)) }
    for plugin in [asking, other] { plugin.unload() }
  }

  @Test(
    "without threads a question is rejected, and RLIMIT_NPROC is named: the thread that reads answers runs no closure")
  func withoutThreads() async {
    await #expect(processExitsWith: .success) {
      let plugin = try IsolatedPlugin.loading("asking")
      var limit = rlimit(rlim_cur: 0, rlim_max: 0)
      #expect(setrlimit(__rlimit_resource_t(__RLIMIT_NPROC.rawValue), &limit) == 0)
      // The limit does not hold for root.
      if getuid() == 0 { #expect(setuid(65_534) == 0) }
      let asked = Recorder<Int>()
      let body = Argument.callback { arguments in
        asked.record(1)
        return arguments[0]
      }
      let call = plugin.call("ask", [body, .value(.int(7))], timeout: nil)
      // Without concurrency, whose threads cannot be started either.
      for _ in 0..<30_000 where call.state == .pending { usleep(1_000) }
      let reason = call.state == .rejected ? call.rejectReason as? PluginError : nil
      #expect(reason?.kind == .overloaded && reason?.message.contains("RLIMIT_NPROC is 0: ") == true)
      #expect(asked.count == 0)
    }
  }

  @Test("questions of a worker that has ended do not count for the next one, and their closures are released")
  func afterRestart() async throws {
    let plugin = try IsolatedPlugin.loading("chain") { $0.questionLimit = 1 }
    let isOpen = DispatchSemaphore(value: 0)
    let (asked, released) = (Recorder<Int>(), Recorder<Int>())
    func ask() -> Promise<PluginValue> {
      let word = LastWord { released.record(1) }
      let body = Argument.callback { _ in
        word.touch()
        asked.record(1)
        isOpen.wait()
        return .int(1)
      }
      return plugin.call("ask", [body], timeout: nil)
    }
    let blocked = ask()
    try await waiting(for: { asked.count == 1 })
    #expect(try await plugin.outcome("die").workerEnd != nil)
    #expect(try await blocked.outcomeInTime().workerEnd != nil)
    let again = plugin.call("ask", [.callback { _ in .int(2) }], timeout: nil)
    #expect(try await again.outcomeInTime().value == .int(2))
    isOpen.signal()
    try await waiting(for: { released.count == 1 })
    plugin.unload()
  }

  @Test("questions of an earlier generation are not answered to a later one")
  func generations() async throws {
    let plugin = try IsolatedPlugin.loading("asking")
    let late = Answer(111)
    let first = plugin.call("ask", [late.argument, .value(.int(0))], timeout: nil)
    try await waiting(for: { late.isAsked.load(ordering: .sequentiallyConsistent) })
    guard case .int(let process)? = try await plugin.outcome("process").value else {
      Issue.record("no process")
      return
    }
    kill(pid_t(process), SIGKILL)
    #expect(try await first.outcomeInTime().workerEnd?.generation == 1)
    // Another process asks a question with the number of the first one.
    let answer = Answer(222)
    let second = plugin.call("ask", [answer.argument, .value(.int(0))], timeout: nil)
    try await waiting(for: { answer.isAsked.load(ordering: .sequentiallyConsistent) })
    late.permit.signal()
    // A worker reads its frames in their order, so it has read the late answer.
    for number in 0..<50 { #expect(try await plugin.outcome("echo", .int(Int64(number))).value == .int(Int64(number))) }
    #expect(second.state == .pending)
    answer.permit.signal()
    #expect(try await second.outcomeInTime().value == .int(222))
    plugin.unload()
  }

  @Test("questions are calls of other plugins, and end as those calls do")
  func calls() async throws {
    let host = try Host.loading("whole")
    try host.load(try Fixture.plugin("caller"), isolation: .tests)
    func outcome(_ function: String, _ arguments: Argument...) async throws -> Outcome {
      try await host.call(function, of: "test.caller", arguments).outcomeInTime()
    }
    #expect(try await outcome("add", .value(.int(2)), .value(.int(3))).value == .int(5))
    let wrong = try await outcome("call", .text("test.nobody"), .text("f"))
    #expect(wrong.promiseError?.message.contains("no plugin of this id is loaded") == true, "\(wrong)")
    let missing = try await outcome("call", .text("test.whole"), .text("nothing"))
    #expect(missing.promiseError?.message.contains("has no function 'nothing'") == true, "\(missing)")
    host.unloadAll()
  }

  @Test("questions are answered that the reaction to the end of another plugin's call asks")
  func nested() async throws {
    let host = try Host.loading("reloading")
    try host.load(try Fixture.plugin("caller"), isolation: .tests)
    let body = Argument.callback { arguments in
      guard case .int(let number)? = arguments.first else { return .int(0) }
      return .int(number + 1)
    }
    let relayed = host.call("relay", of: "test.caller", [.text("test.reloading"), .text("gate"), body])
    // By the second answer, the function has returned, so its reaction is attached.
    #expect(try await host.call("leaf", of: "test.caller").outcomeInTime().value == .uint(7))
    try await waiting { await host.outcome("open_gates", of: "test.reloading").value == .int(1) }
    let outcome = try await relayed.outcomeInTime()
    #expect(outcome.value == .int(2), "\(outcome)")
    host.unloadAll()
  }

  @Test("questions that are discarded at once are discarded in the host")
  func discarded() async throws {
    let host = try Host.loading("promises")
    try host.load(try Fixture.plugin("caller"), isolation: .tests)
    let count = 50
    for _ in 0..<count {
      _ = try await host.call("start_and_discard", of: "test.caller", [.value(.bytes([1]))]).outcomeInTime()
    }
    try await waiting { await host.outcome("discarded", of: "test.promises").value == .int(Int64(count)) }
    // Lets the threads of the calls end.
    for _ in 0..<count { _ = await host.outcome("go", of: "test.promises") }
    host.unloadAll()
  }

  @Test("questions are limited: a worker with more calls of other plugins at the same time is ended")
  func limited() async throws {
    var options = IsolationOptions.tests
    options.questionLimit = 3
    let host = try Host.loading("promises")
    try host.load(try Fixture.plugin("caller"), isolation: options)
    let calls = (0..<4).map { _ in host.call("sum", of: "test.caller", [.value(.bytes([1, 2]))]) }
    for call in calls {
      let fault = try await call.outcomeInTime().workerEnd?.fault
      #expect(fault?.contains("more callbacks and calls of other plugins at the same time than 3") == true, "\(calls)")
    }
    // The calls that were made continue without the worker.
    for _ in 0..<3 { _ = await host.outcome("go", of: "test.promises") }
    host.unloadAll()
  }

  @Test("calls to a destroyed host retain no references")
  func destroyedHost() async throws {
    for _ in 0..<3 {
      weak var gone: Host?
      do {
        let host = Host()
        gone = host
        try host.load(try Fixture.plugin("caller"), isolation: .tests)
        #expect(try await host.call("flood", of: "test.caller").outcomeInTime().value == .void)
        withExtendedLifetime(host) {}
      }
      try await waiting(for: { gone == nil })
    }
  }
}
