import Promises
import PromisesTestSupport
import Testing

@Suite("Stress: futures and several threads")
struct FutureRaces {
  private static let rounds = 300

  @Test("T20, T22: of several threads that settle, one does, and each callback is called once")
  func settling() {
    for _ in 0..<Self.rounds {
      let (future, resolver) = Future<Int, TestError>.makeWithResolver()
      let wins = Recorder<Int>()
      let calls = Recorder<FutureResult<Int, TestError>>()
      onThreads(4) { thread in
        future.whenResolved { calls.record($0) }
        let won =
          switch thread {
          case 0: resolver.fulfill(thread)
          case 1: resolver.reject(TestError(thread))
          case 2: resolver.cancel(because: OtherError())
          default: resolver.resolve(.fulfilled(thread))
          }
        if won { wins.record(thread) }
        future.map { $0 }.whenResolved { calls.record($0) }
      }
      #expect(wins.count == 1)
      #expect(calls.count == 8)
      #expect(calls.events.allSatisfy { $0 == future.result })
    }
  }

  @Test("T22, T58: requests, releases and settlement at once: a released future is asked once or is settled")
  func requests() {
    for round in 0..<Self.rounds {
      let asked = Recorder<Void>()
      var (source, resolver): (Future<Int, TestError>?, Resolver<Int, TestError>) = Future.makeWithResolver()
      resolver.onCancelRequest {
        asked.record()
        $0.cancel()
      }
      let children = (0..<3).map { index in index == 0 ? source!.makeChild() : source!.map { $0 } }
      source = nil
      let settles = round % 2 == 0
      onThreads(settles ? 4 : 3) { thread in
        if thread < 3 { children[thread].requestCancel() } else { resolver.fulfill(1) }
      }
      #expect(asked.count <= 1)
      if !settles { #expect(asked.count == 1) }
      #expect(children.allSatisfy { $0.isSettled && $0.result == children[0].result })
    }
  }

  @Test("T22, T29: a callback registered while the request comes is called once")
  func registering() {
    for _ in 0..<Self.rounds {
      let calls = Recorder<Int>()
      let (future, resolver) = Future<Int, TestError>.makeWithResolver()
      onThreads(3) { thread in
        if thread == 0 { future.requestCancel() } else { resolver.onCancelRequest { _ in calls.record(thread) } }
      }
      #expect(calls.events.sorted() == [1, 2])
    }
  }

  @Test("T22, T21, T29: releasing a resolver during a request calls the callback once and cancels the future")
  func dropping() {
    for _ in 0..<Self.rounds {
      let calls = Recorder<Void>()
      let (future, resolver) = Future<Int, TestError>.makeWithResolver()
      resolver.onCancelRequest { _ in calls.record() }
      let owner = Monitor<Resolver<Int, TestError>?>(resolver)
      _ = consume resolver
      onThreads(2) { thread in
        if thread == 0 { future.requestCancel() } else { owner.withLock { $0 = nil } }
      }
      #expect(calls.count == 1)
      #expect(future.result == .cancelled(nil))
    }
  }

  @Test("T22, T90, T94: timers that end while a request comes settle their futures once")
  func timers() throws {
    for _ in 0..<50 {
      let after = Future<Int, TestError>(on: .utility, fulfilled: 1, after: 0.0005)
      let (source, resolver) = Future<Int, TestError>.makeWithResolver()
      resolver.onCancelRequest { $0.cancel() }
      let timed = source.timeout(on: .utility, after: 0.0005)
      let calls = Recorder<Void>()
      after.whenResolved { _ in calls.record() }
      timed.whenResolved { _ in calls.record() }
      onThreads(2) { thread in
        if thread == 0 { after.requestCancel() } else { source.requestCancel() }
      }
      _ = try after.wait()
      _ = try timed.wait()
      #expect(calls.count <= 2)
    }
  }
}
