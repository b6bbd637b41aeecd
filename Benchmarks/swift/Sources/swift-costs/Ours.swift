import Promises

/// The measured operations on `Promise<Int>`.
enum Ours {
  /// Runs new + then + resolve `count` times; releases everything.
  @inline(never)
  static func then(_ count: Int) {
    for number in 0..<count {
      let promise = Promise<Int>()
      _ = promise.then { $0 + 1 }
      promise.resolve(number)
    }
  }

  /// The variant with a capturing callback.
  @inline(never)
  static func then(_ count: Int, adding step: Int) {
    for number in 0..<count {
      let promise = Promise<Int>()
      _ = promise.then { $0 + step }
      promise.resolve(number)
    }
  }

  /// Creates, resolves and releases a chain of `links`.
  @inline(never)
  static func chain(_ links: Int) {
    let promise = Promise<Int>()
    var last = promise
    for _ in 0..<links { last = last.then { $0 + 1 } }
    promise.resolve(1)
  }

  /// The variant with capturing callbacks.
  @inline(never)
  static func chain(_ links: Int, adding step: Int) {
    let promise = Promise<Int>()
    var last = promise
    for _ in 0..<links { last = last.then { $0 + step } }
    promise.resolve(1)
  }

  /// Runs map on a `Future`, made with its resolver, `count` times; releases everything.
  @inline(never)
  static func map(_ count: Int) {
    for number in 0..<count {
      let (future, resolver) = Future<Int, any Error>.makeWithResolver()
      _ = future.map { $0 + 1 }
      resolver.fulfill(number)
    }
  }

  @inline(never)
  static func onSuccess(_ count: Int, adding sum: Sum) {
    for number in 0..<count {
      let (future, resolver) = Future<Int, any Error>.makeWithResolver()
      future.onSuccess { sum.value &+= $0 }
      resolver.fulfill(number)
    }
  }

  @inline(never)
  static func flatMap(_ count: Int) {
    for number in 0..<count {
      let (future, resolver) = Future<Int, any Error>.makeWithResolver()
      _ = future.flatMap { Future(fulfilled: $0 + 1) }
      resolver.fulfill(number)
    }
  }

  /// The variant with a token, whose future is asked to cancel if the token is invalidated.
  @inline(never)
  static func mapWithToken(_ count: Int) {
    let token = InvalidationToken()
    for number in 0..<count {
      let (future, resolver) = Future<Int, any Error>.makeWithResolver()
      _ = future.withToken(token).map { $0 + 1 }
      resolver.fulfill(number)
    }
  }

  /// An error of a promise, which a callback for its type replaces.
  @inline(never)
  static func rescue(_ count: Int) {
    for _ in 0..<count {
      let promise = Promise<Int>()
      _ = promise.rescue { (_: Refusal) in 0 }
      promise.reject(Refusal())
    }
  }

  /// An error of a promise, which a callback for both outcomes replaces.
  @inline(never)
  static func anyway(_ count: Int) {
    for _ in 0..<count {
      let promise = Promise<Int>()
      _ = promise.anyway { $0 ?? 0 }
      promise.reject(Refusal())
    }
  }

  /// An error through a chain of two, the second of which replaces it.
  @inline(never)
  static func reject(_ count: Int) {
    for _ in 0..<count {
      let (future, resolver) = Future<Int, any Error>.makeWithResolver()
      _ = future.map { $0 + 1 }.replaceError { _ in 0 }
      resolver.reject(Refusal())
    }
  }
}

/// A sum to which callbacks add, one at a time.
final class Sum: @unchecked Sendable {
  var value = 0
}

struct Refusal: Error {}
