import Promises
import PromisesTestSupport
import Testing

@Suite("Readings: when callbacks run")
struct CallbackTiming {
  @Test("S-1: 'immediately' is on the calling thread, before the attaching call returns")
  func attachedLate() {
    let log = Recorder<String>()
    let thread = currentThread()
    let record = { (name: String) in log.record(currentThread() == thread ? name : "\(name) on another thread") }
    let fulfilled = Promise<Int>.resolve(1)
    fulfilled.then({ _ in record("then") }, nil)
    log.record("then returned")
    _ = fulfilled.then { _ in record("typed then") }
    log.record("typed then returned")
    _ = fulfilled.then(async: { _ -> Promise<Int> in
      record("async then")
      return Promise()
    })
    log.record("async then returned")
    Promise<Int>.reject(1).rescue { (_: Int) in record("rescue") }
    log.record("rescue returned")
    #expect(
      log.events == [
        "then", "then returned", "typed then", "typed then returned", "async then", "async then returned", "rescue",
        "rescue returned",
      ])
  }

  @Test("S-2, EA-5, EA-6: callbacks run on the settling thread, before the settling call returns")
  func settled() {
    for settle in [{ $0.resolve(1) }, { $0.reject(1) }, { $0.discard() }] as [@Sendable (Promise<Int>) -> Void] {
      let threads = Recorder<UInt>()
      let promise = Promise<Int>()
      let record = { threads.record(currentThread()) }
      promise.then({ _ in record() }, { _ in record() })
      let derived = promise.then { $0 }.then { $0 }
      derived.then({ _ in record() }, { _ in record() })
      let (settler, atReturn) = onThread {
        settle(promise)
        return (currentThread(), threads.count)
      }
      #expect(atReturn == 2)
      #expect(threads.events == [settler, settler])
      #expect(settler != currentThread())
    }
  }

  @Test("S-3, EA-2: a callback sees the final state, with the value or reason set")
  func stateInside() {
    let log = Recorder<String>()
    let fulfilled = Promise<Int>()
    fulfilled.then({ _ in log.record("\(fulfilled.state) \(fulfilled.value ?? -1)") }, nil)
    fulfilled.resolve(1)
    let rejected = Promise<Int>()
    rejected.then(nil, { _ in log.record("\(rejected.state) \(rejected.rejectReason as? Int ?? -1)") })
    rejected.reject(2)
    #expect(log.events == ["fulfilled 1", "rejected 2"])
  }

  @Test("S-4, EA-7: callbacks of all kinds run in the order in which they were attached")
  func order() {
    let log = Recorder<Int>()
    let promise = Promise<Int>()
    promise.then(nil, { _ in log.record(1) })
    promise.rescue { (_: Any?) in log.record(2) }
    _ = promise.rescue { (_: Any?) -> Int in
      log.record(3)
      return 0
    }
    _ = promise.anyway { _ in log.record(4) }
    let chained = Promise<Int>()
    chained.chain(after: promise)
    chained.then(nil, { _ in log.record(5) })
    promise.then { $0 }.then(nil, { _ in log.record(6) })
    promise.then(nil, { _ in log.record(7) })
    promise.reject(TestError())
    #expect(log.events == [1, 2, 3, 4, 5, 6, 7])
  }

  @Test("EA-9: derived promises settle depth first, before later callbacks of their source")
  func depthFirst() {
    let log = Recorder<String>()
    let root = Promise<Int>()
    let first = root.then { $0 }
    root.then({ _ in log.record("root, second") }, nil)
    let second = first.then { $0 }
    first.then({ _ in log.record("first, second") }, nil)
    second.then({ _ in log.record("second, first") }, nil)
    root.resolve(1)
    #expect(log.events == ["second, first", "first, second", "root, second"])
  }

  @Test("S-5, EA-7: a callback attached from within a callback of the same promise runs at once, before its siblings")
  func attachedWithin() {
    let log = Recorder<Int>()
    let promise = Promise<Int>()
    promise.then(
      { _ in
        log.record(1)
        promise.then({ _ in log.record(2) }, nil)
        _ = promise.then { _ in log.record(3) }
        log.record(4)
      }, nil)
    promise.then({ _ in log.record(5) }, nil)
    promise.resolve(0)
    #expect(log.events == [1, 2, 3, 4, 5])
  }

  @Test("S-6, EA-7: settling from within a callback changes nothing, and later siblings get the first outcome")
  func settledWithin() {
    let log = Recorder<Int>()
    let promise = Promise<Int>()
    promise.then(
      { _ in
        promise.resolve(2)
        promise.reject(3)
        promise.discard()
        log.record(0)
      }, { _ in log.record(-1) })
    promise.then({ log.record($0) }, { _ in log.record(-2) })
    promise.resolve(1)
    #expect(log.events == [0, 1])
    #expect(promise.value == 1)
  }

  @Test("EA-7: another promise settled from within a callback runs its callbacks there")
  func settlesAnother() {
    let log = Recorder<String>()
    let outer = Promise<Int>()
    let inner = Promise<Int>()
    inner.then { $0 + 1 }.then({ log.record("inner \($0)") }, nil)
    outer.then(
      {
        log.record("before")
        inner.resolve($0)
        log.record("after, \(inner.state)")
      }, nil)
    outer.then({ _ in log.record("sibling") }, nil)
    outer.resolve(1)
    #expect(log.events == ["before", "inner 2", "after, fulfilled", "sibling"])
  }

  @Test("S-7: each callback runs at most once")
  func once() {
    let log = Recorder<String>()
    let promise = Promise<Int>()
    promise.then({ _ in log.record("success") }, { _ in log.record("failure") })
    promise.rescue { (_: Any?) in log.record("rescue") }
    _ = promise.then { _ in log.record("typed") }
    promise.resolve(1)
    promise.resolve(1)
    promise.reject(1)
    promise.discard()
    promise.then(nil, nil)
    #expect(log.events == ["success", "typed"])
  }

  @Test("S-8, EA-8: onFailure catches its own onSuccess alone")
  func ownFailure() {
    let log = Recorder<String>()
    let promise = Promise<Int>()
    promise.then({ _ in throw TestError() }, { _ in log.record("first") })
    promise.then({ _ in log.record("second success") }, { _ in log.record("second") })
    promise.rescue { (_: Any?) in log.record("rescue") }
    let derived = promise.then { $0 }
    promise.resolve(1)
    #expect(log.events == ["first", "second success"])
    #expect(promise.state == .fulfilled)
    #expect(derived.value == 1)
  }
}
