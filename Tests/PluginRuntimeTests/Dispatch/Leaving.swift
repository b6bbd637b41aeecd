import CPromise
import PluginRuntime
import Promises
import PromisesTestSupport
import Testing

import class Foundation.Thread

@Suite("Calls: functions that do not return")
struct Leaving {
  let host: Host

  init() throws { host = try .loading("leaving") }

  @Test(
    "pthread_exit() rejects the call; its cleanup handlers have run, and the thread goes on", .timeLimit(.minutes(30)))
  func exit() async {
    let outcomes = await ends { host in
      // Called twice, because the thread must be as good as before.
      [host.call("exit_thread", of: "test.leaving"), host.call("exit_thread", of: "test.leaving")]
    }
    for outcome in outcomes {
      #expect(outcome.pluginError?.kind == .abandoned)
      #expect(outcome.pluginError?.message.hasPrefix("tried to end its thread") == true)
    }
    #expect(await host.outcome("clean_count", of: "test.leaving").value == .int(2))
  }

  @Test("cancelling a thread within a call rejects that call, and the next one is made", .timeLimit(.minutes(30)))
  func cancellation() async {
    let outcomes = await ends { host in
      [host.call("cancel_thread", of: "test.leaving"), host.call("cancel_thread", of: "test.leaving")]
    }
    #expect(outcomes.first?.pluginError?.kind == .abandoned)
    #expect(outcomes.last?.value == .int(1))
  }

  @Test("longjmp() over a call rejects it, and every call between, once the one that it came back to has ended")
  func jump() async throws {
    #expect(await host.outcome("catch_jump", of: "test.leaving").value == .int(1))
    // No call is under way any more: the host waits for nothing when it ends, and ends every plugin.
    #expect(host.unloadAll(deadline: .seconds(60)) == [])
  }

  @Test(
    "longjmp() over a callback leaves no call open, on a thread of the plugin too", arguments: [false, true])
  func jumpOverCallback(hasThread: Bool) async throws {
    let host = Host()
    let path = try Fixture.plugin("leaving")
    if hasThread { try host.load(path, on: SerialThread()) } else { try host.load(path) }
    let jump = PluginCallback { _ in
      _ = host.call("jump", of: "test.leaving")
      return .void
    }
    let call = host.call("catch_over", of: "test.leaving", [Argument(.callback(jump))])
    #expect(await call.outcome().value == .int(1))
    #expect(host.unloadAll(deadline: .seconds(60)) == [])
  }

  @Test("longjmp() out of outermost calls is noticed when the thread ends, if not before")
  func jumpOutside() async throws {
    let catchJump = try host.function("catch_jump", of: "test.leaving")
    let outcomes = await ends { _ in
      var result = promise_value_t()
      let state = catchJump.invoke(nil, count: 0, into: &result)
      return [state == PROMISE_FULFILLED ? .resolve(.int(result.as.i64)) : .reject(nil)]
    }
    #expect(outcomes.first?.value == .int(1))
    #expect(host.unloadAll(deadline: .seconds(60)) == [])
  }

  @Test("a call on the stack of a coroutine continues while another is made on one above it")
  func coroutines() async {
    #expect(await host.outcome("call_on_other_stacks", of: "test.leaving").value == .int(2))
    #expect(host.unloadAll(deadline: .seconds(60)) == [])
  }

  /// Returns the outcomes of calls that are made on a thread of their own.
  private func ends(_ calls: @escaping @Sendable (Host) -> [Promise<PluginValue>]) async -> [Outcome] {
    let host = host
    let promises = await onThread { Calls(promises: calls(host)) }
    var outcomes: [Outcome] = []
    for promise in promises.promises { outcomes.append(await promise.outcome()) }
    return outcomes
  }

  private struct Calls: @unchecked Sendable {
    let promises: [Promise<PluginValue>]
  }
}
