import Promises

// Call forms of futures with as few annotations as the compiler needs. The test is that this file compiles:
// PromisesTests compiles it in Swift 6 mode, PromisesSwift5Tests, by a symbolic link, in Swift 5 mode.

private struct FormError: Error {}

private func observing(_ future: Future<Int, FormError>, _ optional: ((Int) -> Void)?) {
  var last = 0
  future.onSuccess { last = $0 }.onError { _ in last = -1 }.onComplete { last = $0.value ?? last }.onCancel { _ in }
  future.onSuccess { optional?($0) }
  future.onSuccess(on: .main) { _ in }
  future.onError(of: FormError.self) { _ in }
  future.tap { _ in }.fork { _ = $0.tap() }.catch { _ in }.whenResolved { _ in }
  future.whenFulfilled { _ in }
  future.whenRejected(on: .utility) { _ in }
  future.whenCancelled { _ in }
  future.whenAnyError { _ in }
  future.always { last += 1 }
}

private func transforming(_ future: Future<Int, FormError>) {
  let _: Future<String, FormError> = future.map { $0 + 1 }.map(on: .default) { "\($0)" }
  let _: Future<String, FormError> = future.flatMap { Future(fulfilled: "\($0)") }
  let _: Future<Int, String> = future.mapError { "\($0)" }
  let _: Future<Int, Never> = future.flatMapError { _ in Future(fulfilled: 0) }
  let _: Future<Int, Never> = future.replaceError { _ in 0 }
  let _: Future<Int, FormError> = future.recover { _ in nil }.recover(with: 7)
  let _: Future<String, Never> = future.mapResult { .fulfilled("\($0)") }
  let _: Future<String, Never> = future.flatMapResult { Future(fulfilled: "\($0)") }
  let _: Future<(Int, String), any Error> = future.additionally { "\($0)" }
  let _: Future<(Int, String), any Error> = future.additionally(async: { Future<String, FormError>(fulfilled: "\($0)") }
  )
  let _: Future<Void, FormError> = future.mapToVoid()
  let _: Future<Any, any Error> = future.typeErased()
}

private func cancelled(_ result: FutureResult<Int, FormError>, _ optional: FutureResult<Int, FormError>?) -> Int {
  let ended: FutureResult<Int, FormError> = .cancelled
  let _: [FutureResult<Int, FormError>] = [ended, .cancelled, .cancelled(nil), .cancelled(FormError())]
  let future = Future<Int, FormError>(with: .cancelled)
  let _: Future<Int, FormError> = future.mapResult { $0.value == nil ? .cancelled : $0 }
  let _: Future<String, Never> = future.mapResult { result in
    switch result {
    case .cancelled: .cancelled
    default: .fulfilled("")
    }
  }
  Future<Int, FormError>.makeWithResolver().resolver.resolve(.cancelled)
  if case .cancelled = result { return 0 }
  if case .cancelled? = optional { return 1 }
  switch optional {
  case .fulfilled, .rejected, nil: return 2
  case .cancelled: break
  }
  switch result {
  case .fulfilled(let value): return value
  case .rejected(let error): _ = error
  case .cancelled(nil): break
  case .cancelled(let indirect?): _ = indirect
  }
  return 3
}

private func throwing(_ future: Future<Int, FormError>, _ work: @escaping (Int) throws -> Future<String, FormError>) {
  let _: Future<Int, any Error> = future.tryOnSuccess { _ in throw FormError() }
  let _: Future<String, any Error> = future.tryMap { value in
    if value < 0 { throw FormError() }
    return "\(value)"
  }
  let _: Future<String, any Error> = future.tryFlatMap { try work($0) }
  let _: Future<Int, any Error> = future.tryMapError { $0 }
  let _: Future<Int, any Error> = future.tryReplaceError { throw $0 }
  let _: Future<String, any Error> = future.mapOrCancel { "\($0)" }.flatMapOrCancel { _ in try work(0) }
}

private func creating(_ callback: (@escaping (Int?, (any Error)?) -> Void) -> Void) {
  let made: Future<Int, FormError> = Future { resolver in
    resolver.onCancelRequest { $0.cancel() }
    resolver.resolve(.success(1))
  }
  let _: ThrowingFuture<Int> = Future { _ in throw FormError() }
  let _: Future<Int, Never> = Future(on: .utility) { $0.fulfill(1) }
  let (_, resolver) = ThrowingFuture<Int>.makeWithResolver()
  callback(resolver.handleCallback())
  let (_, done) = Future<Void, Never>.makeWithResolver()
  done.fulfill()
  _ = made.upcast.timeout(after: 1).delay(1)
}

private func cancelling(_ future: Future<Int, FormError>) {
  let shared = future.propagatingCancellation { _ in }
  let handle = shared.makeChild().cancellable
  handle.requestCancel()
  future.ignoringCancel().cancellingImmediatelyUponRequest().requestCancel()
  let _: Future<(Int, Int), FormError> = future &&& future
  let _: Future<Int, FormError> = future ||| future
}

/// T117: `then`, which has different meanings in different libraries, is declared so that the compiler names
/// replacements.
@available(*, unavailable)
private func oldNames(_ future: Future<Int, FormError>) {
  _ = future.then { $0 }
}
