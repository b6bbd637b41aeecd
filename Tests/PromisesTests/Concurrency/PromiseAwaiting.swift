import Promises
import PromisesTestSupport
import Testing

@Suite("Concurrency: promises")
struct PromiseAwaiting {
  @Test(
    "Concurrency: awaiting returns the value of a fulfilled promise at once, that of a pending one when it is resolved")
  func value() async throws {
    #expect(try await Promise<Int>.resolve(1).get() == 1)
    let promise = Promise<String>()
    async let value = promise.get()
    promise.resolve("later")
    #expect(try await value == "later")
  }

  @Test("Concurrency: a reason is thrown, in a wrapper if it is not an error")
  func reason() async {
    await #expect(throws: TestError(1)) { try await Promise<Int>.reject(TestError(1)).get() }
    let wrapped = await #expect(throws: RejectionReason.self) { try await Promise<Int>.reject("text").get() }
    #expect(wrapped?.reason as? String == "text")
    let none = await #expect(throws: RejectionReason.self) { try await Promise<Int>.reject(nil).get() }
    #expect(none != nil && none?.reason == nil)
  }

  @Test("Concurrency: a discarded promise throws a CancellationError")
  func discarded() async {
    let promise = Promise<Int>()
    promise.discard()
    await #expect(throws: CancellationError.self) { try await promise.get() }
    let caused = Future<Int, TestError>(cancelled: TestError(3)).promise
    await #expect(throws: TestError(3)) { try await caused.get() }
    let pending = Promise<Int>()
    let task = Task { try await pending.get() }
    pending.discard()
    await #expect(throws: CancellationError.self) { try await task.value }
  }

  @Test("Concurrency: a value that is not Sendable reaches the actor that waits for it")
  func notSendable() async throws {
    let promise = Promise<Box>()
    promise.resolve(Box(3))
    #expect(try await promise.get().number == 3)
  }

  @Test("Concurrency: a promise ends with the value or the error of an async closure")
  func operation() async throws {
    let value = Promise { try await number(4) }
    #expect(try await value.get() == 4)
    let failed = Promise<Int> { throw TestError(try await number(5)) }
    await #expect(throws: TestError(5)) { try await failed.get() }
  }

  @Test("Concurrency: discarding a promise cancels its task")
  func discardCancels() async throws {
    let (started, ended) = (AsyncGate(), AsyncGate())
    let wasCancelled = Recorder<Bool>()
    let promise = Promise<Int> {
      started.open()
      await ended.wait()
      wasCancelled.record(Task.isCancelled)
      return 1
    }
    await started.wait()
    promise.discard()
    #expect(promise.rejectReason is Discarded)
    ended.open()
    while wasCancelled.count == 0 { await Task.yield() }
    #expect(wasCancelled.events == [true])
    #expect(promise.rejectReason is Discarded)
  }

  @Test("Concurrency: a task that ends with a CancellationError discards its promise")
  func cancelledTask() async {
    let promise = Promise<Int> { throw CancellationError() }
    await #expect(throws: CancellationError.self) { try await promise.get() }
    #expect(promise.rejectReason is Discarded)
  }

  @Test("Concurrency: cancelling the only task that waits asks the promise to cancel")
  func waitingTaskCancelled() async {
    let asked = Recorder<Void>()
    let (future, resolver) = Future<Int, any Error>.makeWithResolver()
    resolver.onCancelRequest {
      asked.record()
      $0.cancel()
    }
    let promise = future.promise
    let task = Task { try await promise.get() }
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
    #expect(asked.count == 1)
  }

  @Test("Concurrency: objects that a waiting task holds are released when it has its value")
  func released() async throws {
    let tracker = LifetimeTracker()
    func run() async throws {
      let promise = Promise { [tracked = tracker.track(1)] in
        await Task.yield()
        return tracked
      }
      #expect(try await promise.get().payload == 1)
    }
    try await run()
    while tracker.live != 0 { await Task.yield() }
  }

  private func number(_ number: Int) async throws -> Int {
    await Task.yield()
    return number
  }
}

/// A value that is not Sendable.
private final class Box {
  var number: Int
  init(_ number: Int) { self.number = number }
}
