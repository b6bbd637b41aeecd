import Promises
import PromisesTestSupport
import Testing

extension Observed {
  @Suite("Unhandled rejections")
  struct UnhandledRejections {
    /// Returns the reports about a promise that is rejected before or after a call of `use`, and then released.
    private func reports(rejectingFirst: Bool, _ use: (Promise<Int>) -> Void) -> [Report] {
      Observed.reports {
        let promise = Promise<Int>()
        if rejectingFirst { promise.reject("no") }
        use(promise)
        if !rejectingFirst { promise.reject("no") }
        return [promise.id]
      }
    }

    @Test("a rejected promise that was never observed is reported when it is destroyed")
    func promise() {
      var id: UInt64 = 0
      let reports = Observed.reports {
        let promise = Promise<Int>()
        promise.reject("no")
        id = promise.id
        return [id]
      }
      #expect(reports == [.unhandled(id: id, reason: "no")])
    }

    @Test("without hooks nothing is reported")
    func removed() {
      let recorder = Recorder<UInt64>()
      PromiseHooks.install(PromiseHooks(unhandledRejection: { id, _ in recorder.record(id) }))
      PromiseHooks.install(nil)
      var id: UInt64 = 0
      do {
        let promise = Promise<Int>()
        promise.reject("no")
        id = promise.id
      }
      #expect(!recorder.events.contains(id))
    }

    @Test("reading the outcome or attaching a callback for rejections handles a rejection", arguments: 0..<5)
    func takers(way: Int) {
      let reports = reports(rejectingFirst: true) { promise in
        switch way {
        case 0: #expect(promise.state == .rejected)
        case 1: #expect(promise.rejectReason as? String == "no")
        case 2: promise.then({ _ in }, { _ in })
        case 3: _ = promise.rescue { (_: Any?) in 0 }
        default: promise.then(on: .default, { _ in }, { _ in })
        }
      }
      #expect(reports == [])
    }

    @Test(
      "a callback for other outcomes alone does not handle a rejection", arguments: 0..<6, [false, true])
    func observersOfOthers(way: Int, rejectingFirst: Bool) {
      var id: UInt64 = 0
      let context = QueueContext()
      let reports = reports(rejectingFirst: rejectingFirst) { promise in
        id = promise.id
        switch way {
        case 0: promise.then({ _ in }, nil)
        case 1: promise.then(on: context.here, { _ in }, nil)
        case 2: promise.then(on: .nowOr(.default), { _ in }, nil)
        case 3: promise.future.whenFulfilled { _ in }
        case 4: promise.future.whenCancelled(on: .default) { _ in }
        default: promise.future.whenFulfilled(token: InvalidationToken()) { _ in }
        }
      }
      context.run()
      #expect(reports == [.unhandled(id: id, reason: "no")])
    }

    @Test(
      "an observer of every outcome or of errors handles it, also beside one for values", arguments: 0..<8,
      [false, true])
    func observersOfErrors(way: Int, rejectingFirst: Bool) {
      let context = QueueContext()
      let reports = reports(rejectingFirst: rejectingFirst) { promise in
        let future = promise.future
        future.whenFulfilled { _ in }
        switch way {
        case 0: future.whenResolved { _ in }
        case 1: future.whenRejected { _ in }
        case 2: future.whenAnyError { _ in }
        case 3: future.tap { _ in }
        case 4: future.catch { _ in }
        case 5: future.whenRejected(on: context.here) { _ in }
        case 6: promise.then(nil, { _ in })
        default: promise.then(on: context.here, nil, { _ in })
        }
        future.whenFulfilled { _ in }
      }
      context.run()
      #expect(reports == [])
    }

    @Test("a rescue for reasons of one type handles those alone", arguments: 0..<4, [false, true])
    func rescues(way: Int, rejectingFirst: Bool) async {
      let context = QueueContext()
      let calls = Recorder<String>()
      func attach<E>(_ promise: Promise<Int>, for type: E.Type) {
        switch way {
        case 0: promise.rescue { (error: E) in calls.record("\(error)") }
        case 1: promise.rescue(on: context.here) { (error: E) in calls.record("\(error)") }
        case 2: promise.rescue(on: .main) { (error: E) in calls.record("\(error)") }
        default: promise.rescue(on: .nowOr(context.here)) { (error: E) in calls.record("\(error)") }
        }
      }
      var id: UInt64 = 0
      let missed = reports(rejectingFirst: rejectingFirst) { promise in
        id = promise.id
        attach(promise, for: Int.self)
        attach(promise, for: TestError.self)
      }
      #expect(missed == [.unhandled(id: id, reason: "no")])
      let handled = reports(rejectingFirst: rejectingFirst) { promise in
        attach(promise, for: Int.self)
        attach(promise, for: String.self)
        attach(promise, for: TestError.self)
      }
      context.run()
      await mainQueueDrained()
      #expect(handled == [])
      #expect(calls.events == ["no"])
    }

    @Test("a callback whose token was invalidated counts as one that handles it", arguments: [false, true])
    func silenced(rejectingFirst: Bool) {
      let token = InvalidationToken()
      let reports = reports(rejectingFirst: rejectingFirst) { promise in
        promise.future.whenRejected(token: token) { _ in }
        token.invalidate()
      }
      #expect(reports == [])
    }

    @Test(
      "a time limit handles a later rejection once it has passed, and not if it was dropped", arguments: [false, true])
    func timeLimits(isDropped: Bool) {
      var id: UInt64 = 0
      let reports = Observed.reports {
        let promise = Promise<Int>()
        id = promise.id
        let timed: Future<Int, any Error> = promise.future.timeout(on: .immediate, after: isDropped ? 3600 : 0)
        #expect(isDropped || timed.error is TimeoutError<any Error>)
        _ = consume timed
        promise.reject("no")
        return [id]
      }
      #expect(reports == (isDropped ? [.unhandled(id: id, reason: "no")] : []))
    }

    @Test("a rejection after a cancellation that the consumer asked for is not reported", arguments: [false, true])
    func cancelledByConsumer(isDerivedFurther: Bool) {
      var id: UInt64 = 0
      let reports = Observed.reports {
        let promise = Promise<Int>()
        id = promise.id
        let child = promise.future.cancellingImmediatelyUponRequest()
        let last = isDerivedFurther ? child.map { $0 } : child
        last.whenResolved { _ in }
        child.requestCancel()
        #expect(last.state == .cancelled)
        promise.reject("no")
        return [id, child.id]
      }
      #expect(reports == [])
    }

    @Test(
      "a derived promise handles the rejection of its source, and is reported if its own is not handled",
      arguments: [false, true])
    func derived(rejectingFirst: Bool) {
      var ids: [UInt64] = []
      let reports = Observed.reports {
        let promise = Promise<Int>()
        if rejectingFirst { promise.reject("no") }
        ids = [promise.id, promise.then { $0 + 1 }.then { $0 + 1 }.id]
        if !rejectingFirst { promise.reject("no") }
        return ids
      }
      #expect(reports == [.unhandled(id: ids[1], reason: "no")])
    }

    @Test("two observers in a context, each for one outcome: an unhandled outcome is not reported twice")
    func observersInContexts() {
      let done = Gate()
      let reports = reports(rejectingFirst: false) { promise in
        promise.then(on: .default, { _ in }, nil)
        promise.then(on: .default, nil, { _ in done.open() })
      }
      done.wait()
      #expect(reports == [])
    }

    @Test("a callback for rejections that is attached while earlier callbacks are submitted handles the rejection")
    func attachedDuringSubmission() {
      let executor = ManualExecutor()
      let calls = Counter()
      func attachOnRelease(_ promise: Promise<Int>) {
        let last = LastWord { promise.then(on: executor.here, nil, { _ in calls.add() }) }
        promise.then(on: executor.here, { _ in last.touch() }, nil)
      }
      let reports = Observed.reports {
        let promise = Promise<Int>()
        // This callback is not called: it is released before the next one is submitted.
        attachOnRelease(promise)
        promise.then(on: executor.here, { _ in }, nil)
        promise.reject("no")
        executor.runAll()
        return [promise.id]
      }
      #expect(calls.value == 1)
      #expect(reports == [])
    }

    @Test("awaiting a promise handles its rejection")
    func awaiting() async throws {
      let ids = Recorder<UInt64>()
      let recorder = Recorder<UInt64>()
      PromiseHooks.install(PromiseHooks(unhandledRejection: { id, _ in recorder.record(id) }))
      defer { PromiseHooks.install(nil) }
      func run() async {
        let promise = Promise<Int>()
        ids.record(promise.id)
        promise.reject("no")
        await #expect(throws: RejectionReason.self) { try await promise.get() }
      }
      await run()
      #expect(recorder.events.filter { ids.events.contains($0) } == [])
    }

    @Test("discarded and cancelled promises are not reported")
    func discarded() {
      let reports = Observed.reports {
        let promise = Promise<Int>()
        promise.discard()
        let (future, resolver) = Future<Int, any Error>.makeWithResolver()
        resolver.cancel()
        return [promise.id, future.id]
      }
      #expect(reports == [])
    }

    @Test("a promise destroyed while pending is reported with its callbacks, and its derived promises are not")
    func dropped() {
      var ids: [UInt64] = []
      let reports = Observed.reports {
        let promise = Promise<Int>()
        let derived = promise.then { $0 + 1 }
        promise.then({ _ in }, nil)
        ids = [promise.id, derived.id]
        return ids
      }
      #expect(reports == [.dropped(id: ids[0], callbacks: 2)])
    }

    @Test("releasing a resolver cancels its future, which is not reported")
    func resolverReleased() {
      let reports = Observed.reports { [Future<Int, any Error>.makeWithResolver().future.id] }
      #expect(reports == [])
    }
  }
}
