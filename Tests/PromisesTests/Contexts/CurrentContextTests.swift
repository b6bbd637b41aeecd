import Dispatch
import Foundation
import Promises
import PromisesTestSupport
import Testing

@Suite("Contexts: the current context")
struct CurrentContextTests {
  private let log = Recorder<String>()

  @MainActor @Test("RP10 a callback attached on the main thread and due elsewhere runs on the main thread, later")
  func main() async {
    let promise = Promise<Int>()
    promise.then(on: .current, { [log] _ in log.record("main: \(isOnMainQueue())") }, nil)
    onThread { promise.resolve(1) }
    #expect(log.events == [])
    await mainQueueDrained()
    #expect(log.events == ["main: true"])
  }

  @MainActor @Test("RP10 a callback due where it was attached runs in the settling call")
  func sameThread() {
    let promise = Promise<Int>()
    promise.then(on: .current, { [log] _ in log.record("callback") }, nil)
    promise.resolve(1)
    #expect(log.events == ["callback"])
  }

  @MainActor @Test("RP10 a callback attached on a thread of no context runs on the main thread")
  func plainThread() async {
    let promise = Promise<Int>()
    onThread { promise.then(on: .current, { [log] _ in log.record("main: \(isOnMainQueue())") }, nil) }
    onThread { promise.resolve(1) }
    #expect(log.events == [])
    await mainQueueDrained()
    #expect(log.events == ["main: true"])
  }

  @Test("RP10 a callback attached within a callback runs where that one ran, at once if it is due there")
  func withinCallback() {
    let (here, elsewhere) = (ManualExecutor(), ManualExecutor())
    let (first, second) = (Promise<Int>(), Promise<Int>())
    Promise<Int>.resolve(1).then(
      on: here.here,
      { _ in
        for (promise, name) in [(first, "first"), (second, "second")] {
          promise.then(on: .current, { _ in log.record("\(name) here: \(here.isRunning)") }, nil)
        }
      }, nil)
    here.runAll()
    // A callback that becomes due in `elsewhere` is queued in `here`.
    Promise<Int>.resolve(1).then(on: elsewhere.here, { _ in first.resolve(1) }, nil)
    elsewhere.runAll()
    #expect(log.events == [])
    here.runAll()
    #expect(log.events == ["first here: true"])
    // A callback that becomes due in `here` runs at once.
    Promise<Int>.resolve(1).then(
      on: here.here,
      { _ in
        second.resolve(1)
        log.record("resolved")
      }, nil)
    here.runAll()
    #expect(log.events == ["first here: true", "second here: true", "resolved"])
  }

  @Test("RP10 a callback attached within one that is itself on the current context has the same context")
  func nested() {
    let here = ManualExecutor()
    let (first, second) = (Promise<Int>(), Promise<Int>())
    Promise<Int>.resolve(1).then(
      on: here.here,
      { _ in
        first.then(
          on: .current,
          { _ in second.then(on: .current, { _ in log.record("here: \(here.isRunning)") }, nil) }, nil)
      }, nil)
    here.runAll()
    first.resolve(1)
    here.runAll()
    second.resolve(1)
    #expect(log.events == [])
    here.runAll()
    #expect(log.events == ["here: true"])
  }

  @Test("RP10 a callback on the current context runs in it at once, and so do callbacks that become due there")
  func front() {
    let here = ManualExecutor()
    let (first, second) = (Promise<Int>(), Promise<Int>())
    Promise<Int>.resolve(1).then(
      on: here.here,
      { _ in
        first.then(
          on: .current,
          { _ in
            second.resolve(1)
            log.record("resolved")
          }, nil)
        second.then(on: .current, { _ in log.record("here: \(here.isRunning)") }, nil)
      }, nil)
    here.runAll()
    first.resolve(1)
    #expect(log.events == [])
    here.runAll()
    #expect(log.events == ["here: true", "resolved"])
  }

  @Test("RP10 within a callback on a queue, that queue is the current context")
  func queue() {
    let queue = DispatchQueue(label: "test")
    let key = DispatchSpecificKey<Bool>()
    queue.setSpecific(key: key, value: true)
    let promise = Promise<Int>()
    Promise<Int>.resolve(1).then(
      on: .queue(queue),
      { _ in
        promise.then(
          on: .current, { _ in log.record("on the queue: \(DispatchQueue.getSpecific(key: key) == true)") }, nil)
      }, nil)
    queue.sync {}
    promise.resolve(1)
    queue.sync {}
    #expect(log.events == ["on the queue: true"])
  }

  @Test("RP11 a callback attached to a settled promise runs in the attaching call")
  func settled() {
    // Use another thread: on the main thread the current context would run the callback at once in any case.
    onThread {
      let attaching = pthread_self()
      Promise<Int>.resolve(1).then(
        on: .current, { [log] _ in log.record("here: \(attaching == pthread_self())") }, nil)
      #expect(log.events == ["here: true"])
    }
  }
  @Test("RP10 the current context retains the executor that it stands for, no longer than its callbacks")
  func releases() {
    withLifetimeTracking { tracker in
      let promise = Promise<Int>()
      do {
        let place = InlineExecutor(holding: tracker.track()).here
        Promise<Int>.resolve(1).then(
          on: place, { [log] _ in promise.then(on: .current, { _ in log.record("called") }, nil) }, nil)
      }
      #expect(tracker.live == 1 && log.events == [])
      promise.resolve(1)
      #expect(log.events == ["called"])
    }
  }
}
