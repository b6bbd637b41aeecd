import Promises
import PromisesTestSupport
import Testing

@Suite("Streams: clocks of Swift, and virtual time")
struct ClockTests {
  /// A clock of Swift whose time the test sets. Its sleeps return when their time has come, or when they are cancelled.
  private final class ManualClock: Clock {
    struct Instant: InstantProtocol {
      var offset: Duration
      func advanced(by duration: Duration) -> Instant { Instant(offset: offset + duration) }
      func duration(to other: Instant) -> Duration { other.offset - offset }
      static func < (left: Instant, right: Instant) -> Bool { left.offset < right.offset }
    }

    private struct Sleep {
      let deadline: Instant
      let end: CheckedContinuation<Void, Never>
    }

    private struct State {
      var now = Instant(offset: .seconds(100))
      var sleeps: [Int: Sleep] = [:]
      var cancelled: Set<Int> = []
      var count = 0
    }

    private let state = Monitor(State())
    var minimumResolution: Duration { .zero }
    var now: Instant { state.withLock { $0.now } }
    /// The number of sleeps so far.
    var sleepCount: Int { state.withLock { $0.count } }

    func sleep(until deadline: Instant, tolerance: Duration?) async throws {
      let number = state.withLock { state in
        state.count += 1
        return state.count
      }
      await withTaskCancellationHandler {
        await withCheckedContinuation { (end: CheckedContinuation<Void, Never>) in
          let isOver = state.withLock { state in
            let isOver = deadline <= state.now || state.cancelled.contains(number)
            if !isOver { state.sleeps[number] = Sleep(deadline: deadline, end: end) }
            return isOver
          }
          if isOver { end.resume() }
        }
      } onCancel: {
        let sleep = state.withLock { state in
          state.cancelled.insert(number)
          return state.sleeps.removeValue(forKey: number)
        }
        sleep?.end.resume()
      }
      try Task.checkCancellation()
    }

    /// Waits until a task sleeps until the time `offset`, and no other one sleeps. Blocks no thread: tasks have few of
    /// them, and other tests block these until the main thread is free.
    func waitForSleep(until offset: Duration?) async {
      let expected = offset.map { [Duration.seconds(100) + $0] } ?? []
      while state.withLock({ $0.sleeps.values.map(\.deadline.offset) }) != expected { await Task.yield() }
    }

    func set(_ offset: Duration) {
      let due = state.withLock { state in
        state.now = Instant(offset: .seconds(100) + offset)
        let due = state.sleeps.filter { $0.value.deadline <= state.now }
        for number in due.keys { state.sleeps[number] = nil }
        return due.values.map(\.end)
      }
      for end in due { end.resume() }
    }
  }

  @Test("work on a clock of Swift runs in the order of its times, by one sleep at a time; an earlier one comes first")
  func order() async {
    let base = ManualClock()
    let clock = SwiftStreamClock(base)
    let ran = Recorder<Int>()
    let late = clock.schedule(after: .seconds(3)) { ran.record(3) }
    await base.waitForSleep(until: .seconds(3))
    let early = clock.schedule(after: .seconds(1)) { ran.record(1) }
    await base.waitForSleep(until: .seconds(1))
    let middle = clock.schedule(after: .seconds(2)) { ran.record(2) }
    base.set(.seconds(1))
    await base.waitForSleep(until: .seconds(2))
    #expect(ran.events == [1] && clock.now == .seconds(1))
    // Both are due: one task runs them, in order.
    base.set(.seconds(4))
    while ran.count < 3 { await Task.yield() }
    #expect(ran.events == [1, 2, 3])
    let past = clock.schedule(after: .seconds(-9)) { ran.record(4) }
    while ran.count < 4 { await Task.yield() }
    withExtendedLifetime((late, early, middle, past)) {}
  }

  @Test("work that schedules more is followed by it; a cancelled work is released without a call")
  func scheduledMeanwhile() async {
    let base = ManualClock()
    let clock = SwiftStreamClock(base)
    let ran = Recorder<Int>()
    withLifetimeTracking { tracker in
      let cancelled = clock.schedule(after: .seconds(1)) { [held = tracker.track()] in
        held.touch()
        ran.record(0)
      }
      cancelled.cancel()
      #expect(tracker.live == 0)
    }
    _ = clock.schedule(after: .seconds(1)) { [unowned clock] in
      ran.record(1)
      _ = clock.schedule(after: .seconds(1)) { ran.record(2) }
    }
    await base.waitForSleep(until: .seconds(1))
    base.set(.seconds(1))
    await base.waitForSleep(until: .seconds(2))
    base.set(.seconds(2))
    while ran.count < 2 { await Task.yield() }
    #expect(ran.events == [1, 2])
  }

  @Test("work that is scheduled while work runs starts no sleep until that work has ended")
  func oneSleep() async {
    let base = ManualClock()
    let clock = SwiftStreamClock(base)
    let ran = Recorder<Int>()
    _ = clock.schedule(after: .zero) { [unowned clock] in
      _ = clock.schedule(after: .seconds(2)) { ran.record(2) }
      _ = clock.schedule(after: .seconds(1)) { ran.record(1) }
    }
    await base.waitForSleep(until: .seconds(1))
    base.set(.seconds(3))
    while ran.count < 2 { await Task.yield() }
    #expect(ran.events == [1, 2] && base.sleepCount == 2)
  }

  @Test("a negative delay counts as 0: work that is due now already comes first")
  func negative() async {
    let ran = Recorder<String>()
    let clock = SwiftStreamClock(ManualClock())
    _ = clock.schedule(after: .zero) { [unowned clock] in
      _ = clock.schedule(after: .zero) { ran.record("a") }
      _ = clock.schedule(after: .seconds(-5)) { ran.record("b") }
    }
    while ran.count < 2 { await Task.yield() }
    let virtual = VirtualStreamClock()
    _ = virtual.schedule(after: .zero) { ran.record("c") }
    _ = virtual.schedule(after: .seconds(-5)) { ran.record("d") }
    virtual.advance(by: .zero)
    #expect(ran.events == ["a", "b", "c", "d"])
  }

  @Test("the release of the clock releases the work that waits, and ends the sleep")
  func release() async {
    let base = ManualClock()
    let tracker = LifetimeTracker()
    var clock: SwiftStreamClock? = SwiftStreamClock(base)
    _ = clock?.schedule(after: .seconds(1)) { [held = tracker.track()] in held.touch() }
    await base.waitForSleep(until: .seconds(1))
    clock = nil
    #expect(clock == nil && tracker.live == 0)
    await base.waitForSleep(until: nil)
  }

  @Test("an operator runs on a clock of the system by its task")
  func continuous() async {
    let received = Recorder<Int>()
    let publisher = Publisher<Int, TestError>()
    let debounced = publisher.subscriber().debounce(for: .milliseconds(1), clock: SwiftStreamClock(ContinuousClock()))
      .onNewData { received.record($0) }
    publisher.publish(1)
    while received.count == 0 { await Task.yield() }
    #expect(received.events == [1])
    withExtendedLifetime((publisher, debounced)) {}
  }

  @Test("virtual time: work runs in the order of its times within advance, at its time, also if it is scheduled there")
  func virtual() {
    let clock = VirtualStreamClock()
    let ran = Recorder<String>()
    func note(_ name: String) { ran.record("\(name) at \(clock.now)") }
    _ = clock.schedule(after: .seconds(2)) { [unowned clock] in ran.record("b at \(clock.now)") }
    _ = clock.schedule(after: .seconds(1)) { [unowned clock] in
      ran.record("a at \(clock.now)")
      _ = clock.schedule(after: .seconds(1)) { ran.record("c at \(clock.now)") }
      _ = clock.schedule(after: .seconds(9)) { ran.record("d") }
    }
    clock.advance(by: .seconds(3))
    note("end")
    #expect(ran.events == ["a at 1.0 seconds", "b at 2.0 seconds", "c at 2.0 seconds", "end at 3.0 seconds"])
    #expect(clock.waiting == 1)
  }

  @Test("the virtual time never decreases, also if work advances the clock further")
  func increasing() {
    let clock = VirtualStreamClock()
    _ = clock.schedule(after: .seconds(1)) { [unowned clock] in clock.advance(by: .seconds(5)) }
    clock.advance(by: .seconds(2))
    #expect(clock.now == .seconds(6))
    clock.advance(by: .seconds(-1))
    #expect(clock.now == .seconds(6))
  }
}

@Suite("Future: timeouts on a clock")
struct TimeoutOnClockTests {
  private typealias Subject = Future<Int, TestError>
  private let clock = VirtualStreamClock()

  @Test("a future that is not settled within the time of the clock fails, and its source is asked to cancel")
  func late() {
    let asked = Counter()
    let (limited, resolver) = makeLimited()
    resolver.onCancelRequest { _ in asked.add() }
    clock.advance(by: .seconds(1))
    #expect(limited.state == .pending)
    clock.advance(by: .seconds(1))
    #expect(limited.error == .timedOut && asked.value == 1)
  }

  /// Returns a future with a timeout. Nobody else has its source.
  private func makeLimited() -> (Future<Int, TimeoutError<TestError>>, Resolver<Int, TestError>) {
    let (future, resolver) = Subject.makeWithResolver()
    return (future.timeout(on: .immediate, after: .seconds(2), clock: clock), resolver)
  }

  @Test("the timer stops when the future is settled in time, or released; an error passes translated, or as it is")
  func inTime() {
    let (future, resolver) = Subject.makeWithResolver()
    let limited = future.timeout(on: .immediate, after: .seconds(1), clock: clock)
    let same: Future<Int, any Error> = future.upcast.timeout(on: .immediate, after: .seconds(1), clock: clock)
    #expect(clock.waiting == 2)
    resolver.reject(TestError(1))
    #expect(clock.waiting == 0 && limited.error == .rejected(TestError(1)) && same.error as? TestError == TestError(1))
    let (pending, held) = Subject.makeWithResolver()
    _ = pending.timeout(on: .immediate, after: .seconds(1), clock: clock)
    #expect(clock.waiting == 0)
    withExtendedLifetime(held) {}
  }

  @Test("after a timeout callbacks run in the context; without time left, a pending future has timed out")
  func contexts() throws {
    let context = QueueContext()
    let (future, resolver) = Subject.makeWithResolver()
    let there = future.timeout(on: context.here, after: .seconds(1), clock: clock).mapError { _ in
      QueueContext.isCurrent ? TestError(1) : TestError(2)
    }
    clock.advance(by: .seconds(1))
    context.run()
    #expect(try there.wait().error == TestError(1))
    #expect(future.timeout(on: .immediate, after: .zero, clock: clock).error == .timedOut && clock.waiting == 0)
    withExtendedLifetime(resolver) {}
  }
}
