import NIOCore

/// The measured operations on SwiftNIO's `EventLoopFuture`. Call them on the loop's thread, where futures are fastest.
enum Theirs {
  @inline(never)
  static func then(_ count: Int, on loop: some EventLoop) {
    for number in 0..<count {
      let promise = loop.makePromise(of: Int.self)
      _ = promise.futureResult.map { $0 + 1 }
      promise.succeed(number)
    }
  }

  @inline(never)
  static func then(_ count: Int, adding step: Int, on loop: some EventLoop) {
    for number in 0..<count {
      let promise = loop.makePromise(of: Int.self)
      _ = promise.futureResult.map { $0 + step }
      promise.succeed(number)
    }
  }

  @inline(never)
  static func chain(_ links: Int, on loop: some EventLoop) {
    let promise = loop.makePromise(of: Int.self)
    var last = promise.futureResult
    for _ in 0..<links { last = last.map { $0 + 1 } }
    promise.succeed(1)
  }

  @inline(never)
  static func chain(_ links: Int, adding step: Int, on loop: some EventLoop) {
    let promise = loop.makePromise(of: Int.self)
    var last = promise.futureResult
    for _ in 0..<links { last = last.map { $0 + step } }
    promise.succeed(1)
  }

  @inline(never)
  static func onSuccess(_ count: Int, adding sum: Sum, on loop: some EventLoop) {
    for number in 0..<count {
      let promise = loop.makePromise(of: Int.self)
      promise.futureResult.whenSuccess { sum.value &+= $0 }
      promise.succeed(number)
    }
  }

  @inline(never)
  static func flatMap(_ count: Int, on loop: some EventLoop) {
    for number in 0..<count {
      let promise = loop.makePromise(of: Int.self)
      _ = promise.futureResult.flatMap { loop.makeSucceededFuture($0 + 1) }
      promise.succeed(number)
    }
  }

  @inline(never)
  static func recover(_ count: Int, on loop: some EventLoop) {
    for _ in 0..<count {
      let promise = loop.makePromise(of: Int.self)
      _ = promise.futureResult.recover { _ in 0 }
      promise.fail(Refusal())
    }
  }

  @inline(never)
  static func reject(_ count: Int, on loop: some EventLoop) {
    for _ in 0..<count {
      let promise = loop.makePromise(of: Int.self)
      _ = promise.futureResult.map { $0 + 1 }.recover { _ in 0 }
      promise.fail(Refusal())
    }
  }
}
