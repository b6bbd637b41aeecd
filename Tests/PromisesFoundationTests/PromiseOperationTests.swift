import Foundation
import Promises
import PromisesFoundation
import PromisesTestSupport
import Testing

@Suite("Operations of futures")
struct PromiseOperationTests {
  private typealias Subject = PromiseOperation<Int, String>
  private let queue = OperationQueue()
  private let log = Recorder<String>()

  @Test("T105 the work runs when the operation starts, where it is started, once")
  func starts() {
    let operation = Subject { [log] in
      log.record("body")
      $0.fulfill(1)
    }
    #expect(operation.isAsynchronous && operation.isReady && !operation.isExecuting && !operation.isFinished)
    #expect(operation.future.result == nil)
    operation.start()
    operation.start()
    #expect(log.events == ["body"])
    #expect(operation.future.value == 1)
    #expect(operation.future == operation.future)
  }

  @Test("T105 it executes until the future is settled, and is finished when callbacks run")
  func executes() {
    var kept: Resolver<Int, String>?
    let operation = Subject { kept = $0 }
    operation.future.onComplete { [log, unowned operation] _ in
      log.record("finished: \(operation.isFinished), executing: \(operation.isExecuting)")
    }
    operation.start()
    #expect(operation.isExecuting && !operation.isFinished)
    kept?.reject("no")
    #expect(operation.isFinished && !operation.isExecuting)
    #expect(log.events == ["finished: true, executing: false"])
    #expect(operation.future.error == "no")
  }

  @Test("T105, T108 on a queue, a dependent operation starts when the future is settled, and not before")
  func dependencies() {
    let handed = Channel<Resolver<Int, String>>()
    let operation = Subject(on: .nowOr(.utility)) { handed.send($0) }
    let dependant = BlockOperation { [log] in log.record("dependant") }
    dependant.addDependency(operation)
    queue.addOperations([operation, dependant], waitUntilFinished: false)
    let resolver = handed.receive()
    #expect(queue.operationCount == 2)
    log.record("settling")
    resolver.fulfill(1)
    queue.waitUntilAllOperationsAreFinished()
    #expect(log.events == ["settling", "dependant"])
  }

  @Test("T105 the body is released when it has run")
  func released() {
    withLifetimeTracking { tracker in
      let operation = Subject { [held = tracker.track(1)] in $0.fulfill(held.payload) }
      operation.start()
      #expect(tracker.live == 0)
      #expect(operation.future.value == 1)
    }
  }

  @Test("T36, T105 the body is released in its context, though start() is still in progress")
  func releasedInContext() {
    let released = Recorder<UInt>()
    let operation = Subject(on: .executor(ThreadExecutor())) { [held = Sentinel { released.record(currentThread()) }] in
      held.touch()
      $0.fulfill(1)
    }
    operation.start()
    #expect(released.count == 1 && released.events != [currentThread()])
  }

  @Test("T105 a body that drops its resolver cancels the future in its context, though start() is still in progress")
  func droppedResolver() {
    let operation = Subject(on: .executor(ThreadExecutor())) { _ in }
    let cancelled = Recorder<UInt>()
    operation.future.onCancel { cancelled.record(currentThread()) }
    operation.start()
    #expect(cancelled.count == 1 && cancelled.events != [currentThread()])
  }

  @Test("T106 cancelled before it starts, it never runs its body, and its future is cancelled when it is started")
  func cancelledBefore() throws {
    for byFuture in [false, true] {
      let operation = Subject { [log] _ in log.record("body") }
      if byFuture { operation.future.requestCancel() } else { operation.cancel() }
      #expect(operation.isCancelled)
      #expect(operation.future.result == nil)
      queue.addOperation(operation)
      queue.waitUntilAllOperationsAreFinished()
      #expect(operation.isFinished)
      // The operation is finished before its future is settled, so wait for the future.
      #expect(try operation.future.wait().isCancelled)
    }
    #expect(log.events == [])
  }

  @Test("T106 cancelled while it runs, it asks its body")
  func cancelledWhileRunning() {
    for byFuture in [false, true] {
      let operation = Subject { resolver in
        resolver.onCancelRequest { $0.cancel(because: TestError(1)) }
        Kept.resolvers.withLock { $0.append(resolver) }
      }
      operation.start()
      #expect(operation.future.result == nil)
      if byFuture { operation.future.requestCancel() } else { operation.cancel() }
      #expect(operation.isCancelled && operation.isFinished)
      #expect(operation.future.result?.indirectError as? TestError == TestError(1))
    }
  }

  @Test("T106, T107 dropped while it runs, a request to its future still asks its body")
  func askedWhenDropped() {
    func run() -> Future<Int, String> {
      let operation = Subject { resolver in
        resolver.onCancelRequest { $0.cancel(because: TestError(1)) }
        Kept.resolvers.withLock { $0.append(resolver) }
      }
      operation.start()
      return operation.future
    }
    let future = run()
    future.requestCancel()
    #expect(future.result?.indirectError as? TestError == TestError(1))
  }

  @Test("an executor that drops the body cancels the future with the error")
  func bodyDropped() {
    let executor = ManualExecutor()
    let operation = Subject(on: executor.here) { $0.fulfill(1) }
    operation.start()
    executor.take().forEach { $0.drop() }
    #expect(operation.isFinished && (operation.future.result?.indirectError as? PromiseError)?.code == -8)
  }

  @Test("T107 dropped before it starts, it cancels its future; dropped while it runs, it does not")
  func dropped() {
    let never = Subject { $0.fulfill(1) }.future
    #expect(never.result?.isCancelled == true)
    var kept: Resolver<Int, String>?
    func run() -> Future<Int, String> {
      let operation = Subject { kept = $0 }
      operation.start()
      return operation.future
    }
    let future = run()
    #expect(kept?.isCancelRequested == false)
    kept?.fulfill(1)
    #expect(future.value == 1)
  }

  @Test("T108 a queue notices each change, also of an operation that is cancelled while it waits for another")
  func notices() throws {
    let (gate, first) = (Gate(), Subject(on: .utility) { $0.fulfill(1) })
    let blocker = BlockOperation { gate.wait() }
    first.addDependency(blocker)
    #expect(!first.isReady)
    queue.addOperations([blocker, first], waitUntilFinished: false)
    first.cancel()
    gate.open()
    queue.waitUntilAllOperationsAreFinished()
    #expect(first.isFinished)
    #expect(try first.future.wait().isCancelled)
  }

  @Test("T105 the body runs in its context, or on the main queue")
  func contexts() async {
    let queue = DispatchQueue(label: "test")
    let key = DispatchSpecificKey<Bool>()
    queue.setSpecific(key: key, value: true)
    let there = Subject(on: .queue(queue)) { [log] in
      log.record("there: \(DispatchQueue.getSpecific(key: key) == true)")
      $0.fulfill(1)
    }
    let main = Subject(on: .main) { [log] in
      log.record("main: \(isOnMainQueue())")
      $0.fulfill(2)
    }
    let notNow = Subject(on: .nowOr(.queue(queue))) { [log] in
      log.record("there, not now: \(DispatchQueue.getSpecific(key: key) == true)")
      $0.fulfill(3)
    }
    for operation in [there, notNow] {
      operation.start()
      queue.sync {}
    }
    main.start()
    await mainQueueDrained()
    #expect(log.events == ["there: true", "there, not now: true", "main: true"])
    #expect(there.future.value == 1 && main.future.value == 2)
  }

  @Test("T105, T6 the body does not run now because the operation is started by a callback that does")
  func notNow() {
    let operation = Subject { [log] in
      log.record("now: \(PromiseContext.isExecutingNow)")
      $0.fulfill(1)
    }
    Future<Int, Never>(fulfilled: 1).onSuccess(on: .nowOr(.utility)) { _ in operation.start() }
    #expect(log.events == ["now: false"])
  }
}

/// Keeps resolvers alive, as work in progress would.
private enum Kept {
  static let resolvers = Monitor<[Resolver<Int, String>]>([])
}
