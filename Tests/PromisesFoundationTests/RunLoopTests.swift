import Foundation
import Promises
import PromisesFoundation
import PromisesTestSupport
import Testing

@Suite("Contexts: run loops")
struct RunLoopTests {
  @Test("a callback on a run loop runs on its thread, later, in order, and wakes it")
  func place() {
    let log = Recorder<String>()
    onThread {
      let thread = currentThread()
      let loop = RunLoop.current
      let promise = Promise<Int>()
      for name in ["first", "second"] {
        promise.then(on: .runLoop(loop), { _ in log.record("\(name): \(currentThread() == thread)") }, nil)
      }
      let worker = PromisesTestSupport.Thread { promise.resolve(1) }
      loop.run(until: promise)
      worker.join()
      loop.run(until: Future<Int, Never>(fulfilled: 1))
    }
    #expect(log.events == ["first: true", "second: true"])
  }

  @Test("a run loop runs until a promise is settled, and before that what else is due")
  func runs() {
    let log = Recorder<String>()
    onThread {
      let loop = RunLoop.current
      let (first, second) = (Promise<Int>(), Promise<Int>())
      first.then(
        on: .runLoop(loop),
        {
          log.record("first")
          second.resolve($0)
        }, nil)
      let worker = PromisesTestSupport.Thread { first.resolve(1) }
      loop.run(until: second)
      log.record("second: \(second.value ?? 0)")
      worker.join()
    }
    #expect(log.events == ["first", "second: 1"])
  }

  @Test("T8 contexts of one run loop are equal")
  func equality() {
    #expect(PromiseContext.runLoop(.main) == .runLoop(.main))
    #expect(PromiseContext.runLoop(.main) != .main)
  }
}
