import Promises
import PromisesTestSupport
import Testing

/// A million links settle and are released in a thread whose stack has room for a few thousand frames.
@Suite("Deep chains, on a stack of 512 KiB")
struct DeepChains {
  private static let depth = Scale.million

  /// The last promise of a chain that `link` makes from `source`.
  private func chain(_ source: Promise<Int>, _ link: (Promise<Int>) -> Promise<Int>) -> Promise<Int> {
    var last = source
    for _ in 0..<Self.depth { last = link(last) }
    return last
  }

  @Test("EA-32: a chain of then settles, and every handler runs")
  func fulfilled() {
    onThread {
      let source = Promise<Int>()
      let last = chain(source) { $0.then { $0 + 1 } }
      source.resolve(0)
      #expect(last.value == Self.depth)
    }
  }

  @Test("EA-32: a rejection passes through a chain of then and rescue")
  func rejected() {
    onThread {
      let source = Promise<Int>()
      var isThen = false
      let last = chain(source) { promise in
        isThen.toggle()
        return isThen ? promise.then { $0 } : promise.rescue { (_: OtherError) in 0 }
      }
      source.reject(TestError(1))
      #expect(last.rejectReason as? TestError == TestError(1))
    }
  }

  @Test("EA-32: a discard passes through a chain of then and rescue")
  func discarded() {
    onThread {
      let source = Promise<Int>()
      let last = chain(source) { $0.then { $0 } }
      source.discard()
      #expect(last.rejectReason is Promise<Int>.Rejection)
    }
  }

  @Test("EA-32: a chain of handlers that return promises settles")
  func followed() {
    onThread {
      let source = Promise<Int>()
      let last = chain(source) { $0.then(async: { .resolve($0 + 1) }) }
      source.resolve(0)
      #expect(last.value == Self.depth)
    }
  }

  @Test("EA-32: promises chained after each other settle")
  func chained() {
    onThread {
      let source = Promise<Int>()
      let last = chain(source) { promise in
        let next = Promise<Int>()
        next.chain(after: promise)
        return next
      }
      source.resolve(7)
      #expect(last.value == 7)
    }
  }

  @Test("EA-32: promises that follow each other settle, whichever began to follow first", arguments: [true, false])
  func following(fromTheEnd: Bool) {
    onThread {
      var turns: [Promise<Int>] = (0..<Self.depth).map { _ in Promise() }
      let end = Promise<Int>()
      var next = end
      for turn in turns {
        let followed = next
        next = turn.then(async: { _ in followed })
      }
      if fromTheEnd { turns.reverse() }
      for turn in turns { turn.resolve(0) }
      #expect(next.state == .pending)
      end.resolve(9)
      #expect(next.value == 9)
    }
  }

  @Test("EA-32: a pending chain is released, with the objects that its handlers hold")
  func releasedPending() {
    withLifetimeTracking { tracker in
      onThread {
        let source = Promise<Int>()
        let last = chain(source) { promise in
          let held = tracker.track()
          return promise.then { value in
            held.touch()
            return value
          }
        }
        #expect(tracker.live == Self.depth)
        #expect(last.state == .pending)
      }
    }
  }

  @Test("EA-32: a settled chain is released, from either end", arguments: [true, false])
  func releasedSettled(fromTheStart: Bool) {
    withLifetimeTracking { tracker in
      onThread {
        var all: [Promise<Tracked<Int>>] = [Promise()]
        for index in 0..<Self.depth { all.append(all[index].then { tracker.track($0.payload + 1) }) }
        all[0].resolve(tracker.track(0))
        #expect(all.last?.value?.payload == Self.depth)
        if fromTheStart { all.reverse() }
        while all.popLast() != nil {}
      }
    }
  }

  @Test("EA-32: promises that hold each other as values are released")
  func nested() {
    withLifetimeTracking { tracker in
      onThread {
        var outer = Promise<Any>.resolve(tracker.track())
        for _ in 0..<Self.depth {
          let inner = outer
          outer = Promise<Any>()
          outer.resolve(inner)
        }
        #expect(outer.state == .fulfilled)
      }
    }
  }
}
