import Promises

/// What is measured, done with `Promise<Int>`.
enum Ours {
  /// new + then + resolve, `count` times; everything is let go.
  @inline(never)
  static func then(_ count: Int) {
    for number in 0..<count {
      let promise = Promise<Int>()
      _ = promise.then { $0 + 1 }
      promise.resolve(number)
    }
  }

  /// The same, with a callback that captures.
  @inline(never)
  static func then(_ count: Int, adding step: Int) {
    for number in 0..<count {
      let promise = Promise<Int>()
      _ = promise.then { $0 + step }
      promise.resolve(number)
    }
  }

  /// A chain of `links`, resolved and let go.
  @inline(never)
  static func chain(_ links: Int) {
    let promise = Promise<Int>()
    var last = promise
    for _ in 0..<links { last = last.then { $0 + 1 } }
    promise.resolve(1)
  }

  /// The same, with callbacks that capture.
  @inline(never)
  static func chain(_ links: Int, adding step: Int) {
    let promise = Promise<Int>()
    var last = promise
    for _ in 0..<links { last = last.then { $0 + step } }
    promise.resolve(1)
  }
}
