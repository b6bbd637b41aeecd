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
}
