import Foundation
import Promises
import PromisesFoundation
import PromisesTestSupport
import Testing

@Suite("Contexts: operation queues")
struct OperationQueueTests {
  private let queue = OperationQueue()
  private let log = Recorder<String>()

  init() { queue.maxConcurrentOperationCount = 1 }

  @Test("T1 a callback on an operation queue runs there, as an operation, even if the caller is one of its own")
  func place() {
    queue.addOperation { [queue, log] in
      Promise<Int>.resolve(1).then(
        on: .operationQueue(queue), { _ in log.record("here: \(OperationQueue.current === queue)") }, nil)
      log.record("caller")
    }
    queue.waitUntilAllOperationsAreFinished()
    #expect(log.events == ["caller", "here: true"])
  }

  @Test("T1 callbacks on a serial operation queue run in the order in which they were attached")
  func order() {
    let promise = Promise<Int>()
    for index in 0..<50 { promise.then(on: .operationQueue(queue), { [log] _ in log.record("\(index)") }, nil) }
    promise.resolve(1)
    queue.waitUntilAllOperationsAreFinished()
    #expect(log.events == (0..<50).map { "\($0)" })
  }

  @Test("T1 ... also when attaching and settling race", arguments: RacingCall.allCases)
  func raceOrder(_ call: RacingCall) {
    let context = PromiseContext.operationQueue(queue)
    #expect(AttachingRace.disorders { call.round(on: context) } == 0)
  }

  @Test("T8 contexts of one operation queue are equal")
  func equality() {
    #expect(PromiseContext.operationQueue(queue) == .operationQueue(queue))
    #expect(PromiseContext.operationQueue(queue) != .operationQueue(OperationQueue()))
    #expect(PromiseContext.nowOr(.operationQueue(queue)) == .nowOr(.operationQueue(queue)))
    let current = PromiseContext.currentOperationQueue
    #expect(current == [current][0] && current != .currentOperationQueue)
  }

  @Test("T9 a value that comes later keeps the place in the queue where it was asked for: head of line")
  func reserved() {
    queue.isSuspended = true
    let context = PromiseContext.operationQueue(queue).reserved()
    Promise<Int>.resolve(1).then(on: .operationQueue(queue), { [log] _ in log.record("second") }, nil)
    #expect(queue.operationCount == 2)
    Promise<Int>.resolve(1).then(on: context, { [log] _ in log.record("first") }, nil)
    #expect(queue.operationCount == 2)
    queue.isSuspended = false
    queue.waitUntilAllOperationsAreFinished()
    #expect(log.events == ["first", "second"])
  }

  @Test("T9 a kept place becomes ready when its job comes, on a queue that runs")
  func filledLate() {
    let context = PromiseContext.operationQueue(queue).reserved()
    #expect(queue.operationCount == 1)
    Promise<Int>.resolve(1).then(
      on: context, { [log, queue] _ in log.record("here: \(OperationQueue.current === queue)") }, nil)
    queue.waitUntilAllOperationsAreFinished()
    #expect(log.events == ["here: true"])
  }

  @Test("T9 a reserved place is for one callback; a second one runs as on the queue itself")
  func reservedTwice() {
    let context = PromiseContext.operationQueue(queue).reserved()
    for name in ["first", "second"] {
      Promise<Int>.resolve(1).then(
        on: context, { [log, queue] _ in log.record("\(name): \(OperationQueue.current === queue)") }, nil)
    }
    queue.waitUntilAllOperationsAreFinished()
    #expect(log.events == ["first: true", "second: true"])
  }

  @Test("T9 a reserved place that is not taken leaves the queue")
  func givenUp() {
    do {
      let unused = PromiseContext.operationQueue(queue).reserved()
      withExtendedLifetime(unused) { #expect(queue.operationCount == 1) }
    }
    queue.waitUntilAllOperationsAreFinished()
    #expect(queue.operationCount == 0)
  }

  @Test("a callback whose operation is cancelled is released uncalled, and its promise rejected")
  func cancelled() {
    withLifetimeTracking { tracker in
      queue.isSuspended = true
      let derived = Promise<Int>.resolve(1).then(on: .operationQueue(queue)) { [held = tracker.track(1)] value in
        held.payload + value
      }
      queue.cancelAllOperations()
      queue.isSuspended = false
      queue.waitUntilAllOperationsAreFinished()
      let settled = Gate()
      derived.then({ _ in settled.open() }, { _ in settled.open() })
      settled.wait()
      #expect((derived.rejectReason as? PromiseError)?.code == -8)
    }
  }

  @Test("a state of a stream whose operation is cancelled is delivered with the next one")
  func cancelledState() {
    let numbers = Publisher<Int, Never>()
    queue.isSuspended = true
    let subscriber = numbers.subscriber().onNewData(on: .operationQueue(queue)) { [log] in log.record("\($0)") }
    numbers.publish(1)
    queue.cancelAllOperations()
    queue.isSuspended = false
    queue.waitUntilAllOperationsAreFinished()
    // The operation is released, and its job dropped, on a thread of the queue after that.
    while log.count == 0 {
      numbers.publish(2)
      queue.waitUntilAllOperationsAreFinished()
    }
    #expect(log.events.prefix(2) == ["1", "2"])
    withExtendedLifetime((numbers, subscriber)) {}
  }

  @Test("RP10 the queue current when a callback is attached runs it, at once if it is due there")
  func current() {
    let (here, there) = (Promise<Int>(), Promise<Int>())
    let attached = Gate()
    queue.addOperation { [queue, log] in
      for (promise, name) in [(here, "here"), (there, "there")] {
        promise.then(
          on: .currentOperationQueue, { _ in log.record("\(name): \(OperationQueue.current === queue)") }, nil)
      }
      attached.open()
    }
    attached.wait()
    queue.addOperation { [log] in
      here.resolve(1)
      log.record("resolved")
    }
    queue.waitUntilAllOperationsAreFinished()
    there.resolve(1)
    queue.waitUntilAllOperationsAreFinished()
    #expect(log.events == ["here: true", "resolved", "there: true"])
  }

  @Test("RP10 outside an operation queue, a callback runs on the main queue")
  func currentOutside() async {
    let promise = Promise<Int>()
    let isOnMain = await withCheckedContinuation { continuation in
      onThread {
        promise.then(
          on: .currentOperationQueue,
          { _ in continuation.resume(returning: OperationQueue.current === OperationQueue.main) }, nil)
      }
      onThread { promise.resolve(1) }
    }
    #expect(isOnMain)
  }

  @Test("RP11 a callback attached to a settled promise runs in the attaching call")
  func settled() {
    let attaching = pthread_self()
    Promise<Int>.resolve(1).then(
      on: .currentOperationQueue, { [log] _ in log.record("here: \(attaching == pthread_self())") }, nil)
    #expect(log.events == ["here: true"])
  }
}
