import Foundation
import Promises
import PromisesFoundation
import PromisesTestSupport
import Testing

@Suite("Timers in operation queues")
struct TimerTests {
  private typealias Subject = Future<Int, TestError>

  @Test(
    "T9, T90, T93, T94: the callback of a timer is ahead of blocks put on the queue after the call", arguments: 0..<3)
  func headOfLine(kind: Int) throws {
    let log = Recorder<String>()
    let gate = Gate()
    let queue = OperationQueue()
    queue.maxConcurrentOperationCount = 1
    queue.addOperation { gate.wait() }
    func report<Failure>(_ future: Future<Int, Failure>) {
      future.whenResolved { log.record("\($0), on the queue: \(OperationQueue.current === queue)") }
    }
    let (source, resolver) = Subject.makeWithResolver()
    switch kind {
    case 0: report(Subject(on: .operationQueue(queue), fulfilled: 1, after: 0.01))
    case 1: report(Subject(fulfilled: 1).delay(on: .operationQueue(queue), 0.01))
    default: report(source.timeout(on: .operationQueue(queue), after: 0.01))
    }
    queue.addOperation { log.record("operation") }
    // Until the timer has fired, its operation is not ready, and the queue would run the other operation first.
    while !queue.operations.allSatisfy(\.isReady) { usleep(1_000) }
    // The timer's thread notifies the queue after it has changed `isReady`. Timers fire one after the other, so the
    // queue has been notified when a later timer has fired.
    #expect(try Subject(fulfilled: 2, after: 0.01).wait().value == 2)
    gate.open()
    queue.waitUntilAllOperationsAreFinished()
    let outcome = kind < 2 ? "fulfilled(1)" : "rejected(The operation timed out.)"
    #expect(log.events == ["\(outcome), on the queue: true", "operation"])
    withExtendedLifetime(resolver) {}
  }

  @Test("T90, T93, T94: a cancelled timer leaves the queue", arguments: 0..<4)
  func retired(kind: Int) {
    let queue = OperationQueue()
    let (source, resolver) = Subject.makeWithResolver()
    switch kind {
    case 0: Subject(on: .operationQueue(queue), fulfilled: 1, after: 3600).requestCancel()
    case 1: Subject(cancelled: nil).delay(on: .operationQueue(queue), 3600).requestCancel()
    case 2:
      resolver.onCancelRequest { $0.cancel() }
      let delayed = source.delay(on: .operationQueue(queue), 3600)
      source.requestCancel()
      delayed.requestCancel()
    default:
      _ = source.timeout(on: .operationQueue(queue), after: 3600)
      resolver.fulfill(1)
    }
    queue.waitUntilAllOperationsAreFinished()
    #expect(queue.operations.isEmpty)
  }

  @Test("T96: as an NSError, a timeout gives a reason, and an error that came instead gives itself")
  func userInfo() {
    let timedOut = TimeoutError<TestError>.timedOut as NSError
    #expect(timedOut.userInfo[NSLocalizedFailureReasonErrorKey] as? String == "The operation timed out.")
    let rejected = TimeoutError<TestError>.rejected(TestError(3)) as NSError
    #expect(rejected.userInfo[NSUnderlyingErrorKey] as? TestError == TestError(3))
    #expect(rejected.userInfo[NSLocalizedDescriptionKey] as? String == TestError(3).localizedDescription)
  }
}
