import Promises
import PromisesTestSupport
import Testing

/// Operators with one consumer run as one subscriber. These tests check that this does not change the behaviour.
@Suite("Streams: chains of operators, and consumers within them")
struct StreamLineTests {
  @Test("a consumer added in the middle of a chain gets the states from then on; the chain continues", arguments: 0..<4)
  func branches(at index: Int) {
    Numbers.with { numbers in
      var chain = [numbers.subscriber()]
      for _ in 0..<3 { chain.append(chain[chain.count - 1].mapValues { $0 + 1 }) }
      let end = Received(chain[3])
      numbers.publish(.data(0))
      let first = Received(chain[index])
      numbers.publish(.data(10), .error(TestError(1)))
      let second = Received(chain[index].mapValues { -$0 })
      numbers.publish(.data(20), .cancelled)
      #expect(end.states == [.data(3), .data(13), .error(TestError(1)), .data(23), .cancelled])
      #expect(first.states == [.data(10 + index), .error(TestError(1)), .data(20 + index), .cancelled])
      #expect(second.states == [.data(-20 - index), .cancelled])
    }
  }

  @Test(
    "branches of a chain may begin behind and before earlier ones", arguments: [[1, 2, 3], [3, 2, 1], [2, 1, 3]])
  func manyBranches(order: [Int]) {
    Numbers.with { numbers in
      var chain = [numbers.subscriber()]
      for _ in 0..<4 { chain.append(chain[chain.count - 1].mapValues { $0 + 1 }) }
      let end = Received(chain[4])
      let branches = order.map { index in
        numbers.publish(.data(0))
        return Received(chain[index])
      }
      chain = []
      numbers.publish(.data(10), .cancelled)
      #expect(end.states == [.data(4), .data(4), .data(4), .data(14), .cancelled])
      for (number, branch) in branches.enumerated() {
        let value = order[number]
        #expect(branch.states == Array(repeating: .data(value), count: 2 - number) + [.data(10 + value), .cancelled])
      }
    }
  }

  @Test("a callback may add consumers to its own chain: they get later states")
  func branchesInside() {
    Numbers.with { numbers in
      let middle = numbers.subscriber().mapValues { $0 * 2 }
      let late = Recorder<NumberState>()
      let end = middle.mapValues { $0 + 1 }
      end.onNewData { value in
        guard value < 5 else { return }
        numbers.publish(.data(value))
        middle.subscribe { late.record($0) }
      }
      let received = Received(end)
      numbers.publish(.data(1))
      // 1 becomes 3, which is published, then 7. Both were published before the callback was added.
      #expect(received.values == [3, 7] && late.events == [])
      numbers.publish(.data(10))
      #expect(late.events == [.data(20)])
      middle.cancel()
    }
  }

  @Test("a released end of a chain frees its functions; the part that is kept continues")
  func releases() {
    Numbers.with { numbers in
      withLifetimeTracking { tracker in
        let calls = Counter()
        let kept = numbers.subscriber().mapValues { value in
          calls.add()
          return value
        }
        var end: Subscriber? = kept.mapValues { [tracked = tracker.track()] value in
          tracked.touch()
          return value
        }.onNewData { [tracked = tracker.track()] _ in tracked.touch() }
        numbers.publish(.data(1))
        #expect(tracker.live == 2 && end != nil)
        end = nil
        #expect(tracker.live == 0)
        let received = Received(kept)
        numbers.publish(.data(2))
        #expect(calls.value == 2 && received.values == [2])
      }
    }
  }

  @Test("... also if the chain had branched before")
  func releasesAfterABranch() {
    Numbers.with { numbers in
      withLifetimeTracking { tracker in
        let kept = numbers.subscriber().mapValues { $0 }
        var end: Subscriber? = kept.mapValues { [tracked = tracker.track()] value in
          tracked.touch()
          return value
        }.onNewData { _ in }
        let received = Received(kept)
        numbers.publish(.data(1))
        #expect(tracker.live == 1 && end != nil)
        end = nil
        #expect(tracker.live == 0)
        numbers.publish(.data(2))
        #expect(received.values == [1, 2])
      }
    }
  }

  @Test("a cancelled part of a chain frees its functions and callbacks; the part before it continues")
  func cancels() {
    Numbers.with { numbers in
      let tracker = LifetimeTracker()
      let calls = Counter()
      let kept = numbers.subscriber().filterValues { _ in
        calls.add()
        return true
      }
      let middle = kept.mapValues { [tracked = tracker.track()] value in
        tracked.touch()
        return value
      }
      let received = Received(middle.mapValues { $0 + 1 })
      middle.cancel()
      #expect(tracker.live == 0 && middle.isCancelled && !kept.isCancelled)
      numbers.publish(.data(1))
      #expect(received.states == [.cancelled] && calls.value == 1)
      #expect(Received(middle).states == [.cancelled])
      #expect(Received(received.subscriber.filterValues { _ in true }).states == [.cancelled])
    }
  }

  @Test("a callback that releases its subscriber is called no more, although states wait", arguments: [false, true])
  func releasesInside(keepsSource: Bool) {
    Numbers.with { numbers in
      let recorder = Recorder<NumberState>()
      var source: Subscriber? = numbers.subscriber()
      var subscriber = source?.mapValues { $0 }
      if !keepsSource { source = nil }
      subscriber?.subscribe { state in
        recorder.record(state)
        numbers.publish(.data(2), .error(TestError(2)))
        subscriber = nil
      }
      numbers.publish(.data(1))
      numbers.publish(.data(3), .cancelled)
      #expect(recorder.events == [.data(1)] && subscriber == nil)
      withExtendedLifetime(source) {}
    }
  }

  @Test("a callback that another thread runs does not hold up the other consumers of its chain")
  func independence() {
    Numbers.with { numbers in
      let middle = numbers.subscriber().mapValues { $0 }
      let (isIn, mayLeave) = (Gate(), Gate())
      let received = Received(middle)
      let slow = middle.mapValues { $0 }.onNewData { value in
        guard value == 1 else { return }
        isIn.open()
        mayLeave.wait()
      }
      onThreads(2) { thread in
        if thread == 0 { return numbers.publish(.data(1)) }
        isIn.wait()
        numbers.publish(.data(2), .data(3))
        #expect(received.values == [1, 2, 3])
        mayLeave.open()
      }
      withExtendedLifetime(slow) {}
    }
  }

  @Test("an operator that ends its stream leaves the source, and frees its functions")
  func endsEarly() {
    Numbers.with { numbers in
      let tracker = LifetimeTracker()
      let calls = Counter()
      let ended = numbers.subscriber().splitMapValues { [tracked = tracker.track()] value -> NumberState in
        tracked.touch()
        calls.add()
        return value < 2 ? .data(value) : .cancelled
      }
      let received = Received(ended.mapValues { $0 })
      numbers.publish(.data(1), .data(2), .data(1))
      #expect(received.states == [.data(1), .cancelled] && calls.value == 2)
      #expect(tracker.live == 0 && ended.isCancelled)
    }
  }

  @Test("a chain that drops the end takes consumers after it, and ends when it is cancelled")
  func dropsTheEnd() {
    Numbers.with { numbers in
      let open = numbers.subscriber().filterStates { !$0.isCancelled }
      let end = open.mapValues { $0 }
      numbers.publish(.cancelled)
      let received = [Received(end), Received(end), Received(open)]
      #expect(received.allSatisfy { $0.states == [] })
      open.cancel()
      #expect(received.allSatisfy { $0.states == [.cancelled] })
    }
  }
}
