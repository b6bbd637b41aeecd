// Each form with a context refuses a closure that shares an object with the code around it. The object is an argument.
import Promises
import PromisesFoundation

final class Log {
  func add() {}
  func same<Value>(_ value: Value) -> Value { value }
}

func observe(_ future: Future<Int, any Error>, _ log: Log) {
  _ = future.onSuccess(on: .utility) { _ in log.add() }  // refused
  _ = future.onError(on: .utility) { _ in log.add() }  // refused
  _ = future.onError(of: CancellationError.self, on: .utility) { _ in log.add() }  // refused
  _ = future.onComplete(on: .utility) { _ in log.add() }  // refused
  _ = future.onCancel(on: .utility) { _ in log.add() }  // refused
  _ = future.onCancel(on: .utility) { log.add() }  // refused
  _ = future.tap(on: .utility) { _ in log.add() }  // refused
  _ = future.map(on: .utility) { log.same($0) }  // refused
  _ = future.flatMap(on: .utility) { Future(fulfilled: log.same($0)) }  // refused
  _ = future.mapError(on: .utility) { log.same($0) }  // refused
  _ = future.flatMapError(on: .utility) { Future<Int, any Error>(rejected: log.same($0)) }  // refused
  _ = future.mapResult(on: .utility) { log.same($0) }  // refused
  _ = future.flatMapResult(on: .utility) { Future(with: log.same($0)) }  // refused
  _ = future.replaceError(on: .utility) { _ in log.same(1) }  // refused
  _ = future.tryOnSuccess(on: .utility) { _ in log.add() }  // refused
  _ = future.tryMap(on: .utility) { log.same($0) }  // refused
  _ = future.tryFlatMap(on: .utility) { Future<Int, any Error>(fulfilled: log.same($0)) }  // refused
  _ = future.tryReplaceError(on: .utility) { _ in log.same(1) }  // refused
  _ = future.tryMapError(on: .utility) { log.same($0) }  // refused
  _ = future.tryFlatMapError(on: .utility) { Future<Int, any Error>(rejected: log.same($0)) }  // refused
  _ = future.tryMapResult(on: .utility) { log.same($0) }  // refused
  _ = future.tryFlatMapResult(on: .utility) { Future<Int, any Error>(with: log.same($0)) }  // refused
  _ = future.onEither(on: .utility) { _ in log.add() }  // refused
  _ = future.catch(on: .utility) { _ in log.add() }  // refused
  _ = future.mapEither(on: .utility) { log.same($0) }  // refused
  _ = future.flatMapEither(on: .utility) { Future(with: log.same($0)) }  // refused
  _ = future.recover(on: .utility) { _ in log.same(1) }  // refused
  _ = future.mapOrCancel(on: .utility) { log.same($0) }  // refused
  _ = future.flatMapOrCancel(on: .utility) { Future<Int, any Error>(fulfilled: log.same($0)) }  // refused
  _ = future.additionally(on: .utility) { log.same($0) }  // refused
  _ = future.additionally(on: .utility, async: { Future<Int, any Error>(fulfilled: log.same($0)) })  // refused
  _ = future.always(on: .utility) { log.add() }  // refused
  _ = future.whenResolved(on: .utility) { _ in log.add() }  // refused
  _ = future.whenFulfilled(on: .utility) { _ in log.add() }  // refused
  _ = future.whenRejected(on: .utility) { _ in log.add() }  // refused
  _ = future.whenCancelled(on: .utility) { _ in log.add() }  // refused
  _ = future.whenAnyError(on: .utility) { _ in log.add() }  // refused
  _ = future.propagatingCancellation(on: .utility) { _ in log.add() }  // refused
}

func observe(_ bound: TokenFuture<Int, any Error>, _ log: Log) {
  _ = bound.onSuccess(on: .utility) { _ in log.add() }  // refused
  _ = bound.onError(on: .utility) { _ in log.add() }  // refused
  _ = bound.onComplete(on: .utility) { _ in log.add() }  // refused
  _ = bound.onCancel(on: .utility) { _ in log.add() }  // refused
  _ = bound.onCancel(on: .utility) { log.add() }  // refused
  _ = bound.tap(on: .utility) { _ in log.add() }  // refused
  _ = bound.map(on: .utility) { log.same($0) }  // refused
  _ = bound.flatMap(on: .utility) { Future(fulfilled: log.same($0)) }  // refused
  _ = bound.mapError(on: .utility) { log.same($0) }  // refused
  _ = bound.flatMapError(on: .utility) { Future<Int, any Error>(rejected: log.same($0)) }  // refused
  _ = bound.mapResult(on: .utility) { log.same($0) }  // refused
  _ = bound.flatMapResult(on: .utility) { Future(with: log.same($0)) }  // refused
  _ = bound.replaceError(on: .utility) { _ in log.same(1) }  // refused
  _ = bound.tryOnSuccess(on: .utility) { _ in log.add() }  // refused
  _ = bound.tryMap(on: .utility) { log.same($0) }  // refused
  _ = bound.tryFlatMap(on: .utility) { Future<Int, any Error>(fulfilled: log.same($0)) }  // refused
  _ = bound.tryReplaceError(on: .utility) { _ in log.same(1) }  // refused
  _ = bound.tryMapError(on: .utility) { log.same($0) }  // refused
  _ = bound.tryFlatMapError(on: .utility) { Future<Int, any Error>(rejected: log.same($0)) }  // refused
  _ = bound.tryMapResult(on: .utility) { log.same($0) }  // refused
  _ = bound.tryFlatMapResult(on: .utility) { Future<Int, any Error>(with: log.same($0)) }  // refused
}

func observe(_ success: SuccessOnlyFuture<Int>, _ log: Log) {
  _ = success.onSuccess(on: .utility) { _ in log.add() }  // refused
  _ = success.map(on: .utility) { log.same($0) }  // refused
}

func observe(_ promise: Promise<Int>, _ log: Log) {
  _ = promise.then(on: .utility) { log.same($0) }  // refused
  _ = promise.then(on: .utility, { _ in log.add() }, nil)  // refused
  _ = promise.then(on: .utility, async: { Promise<Int>.resolve(log.same($0)) })  // refused
  _ = promise.then(on: .utility, result: { Result<Int, any Error>.success(log.same($0)) })  // refused
  _ = promise.rescue(on: .utility) { (_: any Error) in log.add() }  // refused
  _ = promise.rescue(on: .utility) { (_: any Error) in log.same(1) }  // refused
  _ = promise.rescue(on: .utility) { (_: any Error) -> Promise<Int> in .resolve(log.same(1)) }  // refused
  _ = promise.rescue(on: .utility, async: { (_: any Error) in Promise<Int>.resolve(log.same(1)) })  // refused
  _ = promise.anyway(on: .utility) { _ in log.same(1) }  // refused
  _ = promise.anyway(on: .utility, async: { _ in Promise<Int>.resolve(log.same(1)) })  // refused
}

func observe(_ numbers: Subscriber<Int, any Error>, _ log: Log) {
  _ = numbers.subscribe(on: .utility) { _ in log.add() }  // refused
  _ = numbers.onNewData(on: .utility) { _ in log.add() }  // refused
  _ = numbers.onError(on: .utility) { _ in log.add() }  // refused
  _ = numbers.onCancelled(on: .utility) { log.add() }  // refused
  _ = numbers.subscribe(on: .utility, demand: 1) { _ in log.add() }  // refused
}

func work(_ resolver: Resolver<Int, any Error>, _ log: Log) {
  resolver.onCancelRequest(on: .utility) { log.same($0).cancel() }  // refused
  _ = Future<Int, any Error>(on: .utility) { $0.fulfill(log.same(1)) }  // refused
  _ = DelayedFuture<Int, any Error>(on: .utility) { $0.fulfill(log.same(1)) }  // refused
  _ = PromiseOperation<Int, any Error>(on: .utility) { $0.fulfill(log.same(1)) }  // refused
  _ = Promise<Int>(on: .utility) { resolve, _ in resolve(log.same(1)) }  // refused
  _ = start(on: .utility) { log.same(1) }  // refused
}
