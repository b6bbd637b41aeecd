import Dispatch
import Promises
import PromisesTestSupport
import Testing

// On the main actor, so that the main queue runs only while the test waits.
@MainActor
@Suite("Contexts: turns of the main context")
struct MainCoalescing {
  private let log = Recorder<String>()

  /// Logs "1" and enqueues a block on the main queue: callbacks that run before the block are in the same turn.
  private func begin() {
    log.record("1")
    DispatchQueue.main.async { [log] in log.record("next turn") }
  }

  @Test("T2 a chain of callbacks on main ends in one turn of the main queue")
  func chain() async {
    Promise<Int>.resolve(1)
      .then(on: .main) { _ in begin() }
      .then(on: .main) { log.record("2") }
      .then(on: .main, { log.record("3") }, nil)
    await mainQueueDrained()
    await mainQueueDrained()
    #expect(log.events == ["1", "2", "3", "next turn"])
  }

  @Test("T2 a promise that a callback on main returns, and that is settled, does not end the turn")
  func adopted() async {
    Promise<Int>.resolve(1)
      .then(on: .main) { _ -> Promise<Int> in
        begin()
        return Promise<Int>.resolve(2).then(on: .main) {
          log.record("inner")
          return $0
        }
      }
      .then(on: .main, { log.record("\($0)") }, nil)
    await mainQueueDrained()
    await mainQueueDrained()
    #expect(log.events == ["1", "inner", "2", "next turn"])
  }

  @Test("T2 the dispatch queue of the same name makes no such turns, nor does a chain through it")
  func queue() async {
    Promise<Int>.resolve(1)
      .then(on: .queue(.main)) { _ in MainActor.assumeIsolated { begin() } }
      .then(on: .queue(.main), { log.record("2") }, nil)
    await mainQueueDrained()
    await mainQueueDrained()
    #expect(log.events == ["1", "next turn", "2"])
  }

  // In processes of their own: a turn runs the callbacks of other tests too.
  @Test("T2 a chain from main through another context and back takes one turn for each step")
  func mixed() async {
    await #expect(processExitsWith: .success) {
      let (main, other) = (ManualExecutor(), ManualExecutor())
      let log = Recorder<String>()
      PromiseContext.useMainExecutor(main)
      Promise<Int>.resolve(1)
        .then(on: .main) { _ in log.record("1") }
        .then(on: other.here) { log.record("2") }
        .then(on: .main, { log.record("3") }, nil)
      main.runNext()
      precondition(log.events == ["1"] && main.count == 0)
      other.runNext()
      precondition(log.events == ["1", "2"] && main.count == 1)
      main.runNext()
      precondition(log.events == ["1", "2", "3"])
    }
  }

  @Test("T2 a callback that becomes due within one on main waits until that one has ended")
  func notImmediate() async {
    Promise<Int>.resolve(1).then(
      on: .main,
      { _ in
        log.record("begin")
        Promise<Int>.resolve(2).then(on: .main, { _ in log.record("inner") }, nil)
        log.record("end")
      }, nil)
    await mainQueueDrained()
    #expect(log.events == ["begin", "end", "inner"])
  }

  @Test("T2 callbacks that become due within one on main run in their order, in the same turn")
  func ordered() async {
    Promise<Int>.resolve(1).then(
      on: .main,
      { _ in
        begin()
        for name in ["a", "b", "c"] { Promise<Int>.resolve(2).then(on: .main, { _ in log.record(name) }, nil) }
      }, nil)
    await mainQueueDrained()
    await mainQueueDrained()
    #expect(log.events == ["1", "a", "b", "c", "next turn"])
  }

  @Test("T2 a callback attached on the main thread outside of a callback on main is not part of a turn")
  func outside() async {
    await #expect(processExitsWith: .success) {
      let main = ManualExecutor()
      let log = Recorder<String>()
      PromiseContext.useMainExecutor(main)
      for name in ["a", "b"] { Promise<Int>.resolve(2).then(on: .main, { _ in log.record(name) }, nil) }
      precondition(main.count == 2 && log.count == 0)
      main.runNext()
      precondition(log.events == ["a"])
      main.runNext()
      precondition(log.events == ["a", "b"])
    }
  }

  @Test("T2 each callback of a turn is released before the next begins")
  func released() async {
    func chain(_ promise: Promise<Int>) {
      var last = promise
      for name in ["a", "b", "c"] {
        let sentinel = Sentinel { [log] in log.record("release \(name)") }
        last = last.then(on: .main) {
          log.record(sentinel.name(name))
          return $0
        }
      }
    }
    chain(.resolve(1))
    await mainQueueDrained()
    #expect(log.events == ["a", "release a", "b", "release b", "c", "release c"])
  }
}
