import Dispatch
import Promises
import PromisesTestSupport
import Testing

@Suite("Stress: the order of callbacks on a serial context")
struct ContextOrder {
  @Test("callbacks run in the order of attachment when attaching and settling race", arguments: RacingCall.allCases)
  func queues(_ call: RacingCall) {
    let context = PromiseContext.queue(DispatchQueue(label: "test"))
    #expect(AttachingRace.disorders { call.round(on: context) } == 0)
  }

  @Test(
    "callbacks on an actor run in the order of attachment when attaching and settling race",
    arguments: RacingCall.allCases)
  func actors(_ call: RacingCall) {
    let mailbox = Mailbox()
    let context = PromiseContext.executor(mailbox.executor)
    let disorders = AttachingRace.disorders {
      mailbox.assumeIsolated { $0.deliveries += 1 }
    } _: {
      call.round(on: context)
    }
    #expect(disorders == 0)
    #expect(mailbox.executor.queue.sync { mailbox.assumeIsolated { $0.deliveries } } == AttachingRace.callbacks)
  }
}

/// An actor whose callbacks run on its own executor.
private actor Mailbox {
  nonisolated let executor = QueueExecutor()
  var deliveries = 0

  nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }
}

private final class QueueExecutor: SerialExecutor, PromiseExecutor {
  let queue = DispatchQueue(label: "test")

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    queue.async { job.runSynchronously(on: self.asUnownedSerialExecutor()) }
  }

  func checkIsolated() { dispatchPrecondition(condition: .onQueue(queue)) }

  func submit(_ job: PromiseJob) { queue.async { job.run() } }
}
