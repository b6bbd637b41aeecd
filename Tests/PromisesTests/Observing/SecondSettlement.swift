import Promises
import PromisesTestSupport
import Testing

extension Observed {
  @Suite("Readings: settling a second time")
  struct SecondSettlementReadings {
    @Test("X-6: the hook is notified of each call that settles a settled promise, with the outcome")
    func hook() {
      let promise = Promise<Int>()
      let reports = Observed.reports {
        promise.resolve(1)
        promise.resolve(2)
        promise.reject("no")
        promise.discard()
        return [promise.id]
      }
      #expect(
        reports == [
          .again(id: promise.id, .fulfilled, value: "2"), .again(id: promise.id, .rejected, value: "no"),
        ])
    }

    @Test("X-6: a call says whether it settled the promise")
    func result() {
      let promise = Promise<Int>()
      #expect(promise.resolve(1) as Bool)
      #expect(!(promise.resolve(2) as Bool))
      #expect(!(promise.reject("no") as Bool))
      #expect(promise.value == 1)
    }

    @Test("D47: the inputs that are settled after the result of all report nothing", arguments: [false, true])
    func combined(cancels: Bool) {
      let inputs = (0..<3).map { _ in Resolver<Int, TestError>() }
      let futures = inputs.map(\.future)
      let all = when(fulfilled: futures)
      let reports = Observed.reports {
        for input in inputs { if cancels { input.cancel() } else { input.reject(TestError(1)) } }
        return [all.id] + futures.map(\.id)
      }
      #expect(reports == [])
      #expect(all.state == (cancels ? .cancelled : .rejected))
    }

    @Test("EA-27, EA-28: the and and the or of two promises, settled from both sides, report nothing")
    func operators() {
      for rejects in [false, true] {
        let (left, right) = (Promise<Int>(), Promise<Int>())
        let (both, either) = (left &&& right, left ||| right)
        let settle = { (promise: Promise<Int>) in rejects ? promise.reject("no") : promise.resolve(1) }
        let reports = Observed.reports {
          settle(left)
          settle(right)
          return [both.id, either.id]
        }
        #expect(reports == [])
        #expect(both.state == (rejects ? .rejected : .fulfilled))
        #expect(either.state == (rejects ? .rejected : .fulfilled))
      }
    }

    @Test("D17, RP5: a resolver's second settlement is reported, a cancellation too")
    func resolver() {
      let (future, resolver) = Future<Int, any Error>.makeWithResolver()
      let reports = Observed.reports {
        resolver.fulfill(1)
        resolver.fulfill(2)
        resolver.cancel()
        return [future.id]
      }
      #expect(reports.count == 2)
      #expect(reports.first == .again(id: future.id, .fulfilled, value: "2"))
    }

    @Test("D17: following a second future is not reported: it keeps its outcome, and its error stays unhandled")
    func following() {
      let (future, resolver) = Future<Int, any Error>.makeWithResolver()
      resolver.fulfill(1)
      var otherID: UInt64 = 0
      let reports = Observed.reports {
        // Made here: a rejection from before the hook is not reported.
        let other = Future<Int, any Error>(rejected: TestError(2))
        otherID = other.id
        resolver.resolve(with: other)
        return [future.id, otherID]
      }
      #expect(reports.count == 1 && future.value == 1)
      #expect(reports.first == .unhandled(id: otherID, reason: "\(TestError(2))"))
    }

    @Test("X-6, D17, RP5: each form with an outcome that comes second is reported once, and returns false")
    func eachForm() {
      let ofResolver: [(Resolver<Int, any Error>) -> Bool] = [
        { $0.fulfill(2) }, { $0.reject(TestError()) }, { $0.cancel() }, { $0.resolve(FutureResult.fulfilled(2)) },
        { $0.resolve(FutureResult.rejected(TestError())) }, { $0.resolve(FutureResult.cancelled(nil)) },
        { $0.resolve(Result<Int, any Error>.success(2)) }, { $0.resolve(Result<Int, TestError>.failure(TestError())) },
      ]
      for settle in ofResolver {
        let (future, resolver) = Future<Int, any Error>.makeWithResolver()
        resolver.fulfill(1)
        let reports = Observed.reports {
          #expect(!settle(resolver))
          return [future.id]
        }
        #expect(reports.count == 1)
      }
      let ofPromise: [(Promise<Int>) -> Bool] = [{ $0.resolve(2) as Bool }, { $0.reject("no") as Bool }]
      for settle in ofPromise {
        let promise = Promise<Int>()
        promise.resolve(1)
        let reports = Observed.reports {
          #expect(!settle(promise))
          return [promise.id]
        }
        #expect(reports.count == 1)
      }
    }
  }
}
