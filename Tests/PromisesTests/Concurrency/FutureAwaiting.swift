import Promises
import PromisesTestSupport
import Testing

@Suite("Concurrency: futures")
struct FutureAwaiting {
  private enum LoadError: Error, Equatable {
    case missing
    case stopped(String?)
  }

  @Test("Concurrency: every outcome can be awaited, with a failure of any type")
  func settled() async {
    #expect(await Future<Int, String>(fulfilled: 1).settled() == .fulfilled(1))
    #expect(await Future<Int, String>(rejected: "no").settled() == .rejected("no"))
    let (future, resolver) = Future<Int, String>.makeWithResolver()
    async let outcome = future.settled()
    resolver.cancel(because: TestError(1))
    #expect(await outcome.indirectError as? TestError == TestError(1))
  }

  @Test("Concurrency: get() throws the error, and for a cancellation its cause")
  func get() async throws {
    #expect(try await Future<Int, LoadError>(fulfilled: 1).get() == 1)
    await #expect(throws: LoadError.missing) { try await Future<Int, LoadError>(rejected: .missing).get() }
    await #expect(throws: TestError(2)) { try await Future<Int, LoadError>(cancelled: TestError(2)).get() }
    await #expect(throws: CancellationError.self) { try await Future<Int, Never>(cancelled: nil).get() }
  }

  @Test("Concurrency: nothing but the future's own type of error is thrown, if the caller gives one for a cancellation")
  func typed() async {
    func load(_ future: Future<Int, LoadError>) async throws(LoadError) -> Int {
      try await future.get { .stopped(($0 as? TestError).map { "\($0.code)" }) }
    }
    await #expect(throws: LoadError.missing) { try await load(Future(rejected: .missing)) }
    await #expect(throws: LoadError.stopped("3")) { try await load(Future(cancelled: TestError(3))) }
    await #expect(throws: LoadError.stopped(nil)) { try await load(Future(cancelled: nil)) }
  }

  @Test("Concurrency: a future ends with the value or the typed error of an async closure")
  func operation() async throws {
    let thrown = Future { try await value(1) }
    let thrownAgain: ThrowingFuture<Int> = thrown
    #expect(try await thrownAgain.get() == 1)
    let typed = Future<Int, LoadError> { () async throws(LoadError) in throw .missing }
    #expect(await typed.settled() == .rejected(.missing))
    let infallible = Future<Int, Never> { await Task { 2 }.value }
    #expect(await infallible.settled() == .fulfilled(2))
  }

  @Test("Concurrency: a task has the priority that it is given")
  func priority() async throws {
    let future = Future<TaskPriority?, Never>(priority: .background) { Task.basePriority }
    let promise = Promise<TaskPriority?>(priority: .background) { Task.basePriority }
    #expect(try await future.get() == .background)
    #expect(try await promise.get() == .background)
  }

  @Test("Concurrency: discarding a future's promise cancels its task")
  func discarded() async {
    let (started, ended) = (AsyncGate(), AsyncGate())
    let wasCancelled = Recorder<Bool>()
    let future = Future<Int, Never> {
      started.open()
      await ended.wait()
      wasCancelled.record(Task.isCancelled)
      return 1
    }
    await started.wait()
    future.promise.discard()
    ended.open()
    while wasCancelled.count == 0 { await Task.yield() }
    #expect(wasCancelled.events == [true] && future.state == .cancelled)
  }

  @Test("Concurrency: a request to cancel a future cancels its task")
  func requestCancels() async {
    let future = Future<Int, any Error> {
      while true {
        try Task.checkCancellation()
        await Task.yield()
      }
    }
    future.requestCancel()
    #expect(await future.settled().isCancelled)
  }

  @Test("Concurrency: a request that came before the task started cancels it too")
  func requestedAtOnce() async {
    for _ in 0..<100 {
      let future = Future<Bool, Never> { Task.isCancelled }
      future.requestCancel()
      #expect(await future.settled().value != nil)
    }
  }

  @Test("Concurrency: a request that propagates from a derived future cancels the task")
  func propagates() async {
    func derived() -> Future<Int, any Error> {
      Future<Int, any Error> {
        while true {
          try Task.checkCancellation()
          await Task.yield()
        }
      }.map { $0 + 1 }
    }
    let future = derived()
    future.requestCancel()
    #expect(await future.settled().isCancelled)
  }

  // On the main actor, so that the tasks wait for the future once the main queue is drained.
  @MainActor @Test("Concurrency: cancelling a waiting task asks the future to cancel, unless something else waits")
  func sharedWait() async throws {
    let asked = Recorder<Void>()
    let (future, resolver) = Future<Int, any Error>.makeWithResolver()
    resolver.onCancelRequest {
      asked.record()
      $0.cancel()
    }
    let first = Task { try await future.get() }
    let second = Task { try await future.get() }
    await mainQueueDrained()
    await mainQueueDrained()
    first.cancel()
    #expect(asked.count == 0)
    second.cancel()
    #expect(asked.count == 1)
    await #expect(throws: CancellationError.self) { try await first.value }
    await #expect(throws: CancellationError.self) { try await second.value }
  }

  @MainActor @Test("Concurrency: a cancelled task does not ask a future that others are derived from")
  func derivedWaits() async throws {
    let (future, resolver) = Future<Int, any Error>.makeWithResolver()
    let derived = future.map { $0 + 1 }
    let task = Task { try await future.get() }
    await mainQueueDrained()
    await mainQueueDrained()
    task.cancel()
    #expect(!resolver.isCancelRequested)
    resolver.fulfill(1)
    #expect(try await task.value == 1)
    #expect(derived.value == 2)
  }

  @Test("Concurrency: a cancelled task gets the value of a future that is not cancelled")
  func getsTheValue() async throws {
    let (future, resolver) = Future<Int, any Error>.makeWithResolver()
    let task = Task { try await future.get() }
    task.cancel()
    resolver.fulfill(1)
    #expect(try await task.value == 1)
  }

  private func value(_ value: Int) async throws -> Int {
    await Task.yield()
    return value
  }
}
