import CPromise

/// The memory of one call, on the stack: the arguments as C has them, what the function returns, its out parameters,
/// and the addresses of all that, which is what libffi takes.
struct CallFrame {
  private let base: UnsafeMutableRawPointer
  private let count: Int

  /// A slot holds the largest argument, a struct of two words.
  private static let slot = 16
  /// Behind the arguments: what is returned, the result and the error of a `!`, and the addresses of these two.
  private static let extras = 4

  init(_ base: UnsafeMutableRawPointer, count: Int) {
    self.base = base
    self.count = count
  }

  /// The bytes of a frame for so many arguments; there are never so many that this overflows.
  static func size(count: Int) -> Int {
    (count &+ extras) &* slot &+ (count &+ 2) &* MemoryLayout<UnsafeMutableRawPointer>.size
  }

  @inline(__always)
  func argument(_ index: Int) -> UnsafeMutableRawPointer { base + index &* Self.slot }
  /// What the function returns. libffi writes at least a word.
  var returned: UnsafeMutableRawPointer { argument(count) }
  /// Where a function with `!` leaves its result.
  var result: UnsafeMutableRawPointer { argument(count + 1) }
  /// Where a function with `!` leaves its error.
  var error: UnsafeMutablePointer<promise_value_t> { argument(count + 2).assumingMemoryBound(to: promise_value_t.self) }

  var addresses: UnsafeMutablePointer<UnsafeMutableRawPointer?> {
    argument(count + Self.extras).assumingMemoryBound(to: UnsafeMutableRawPointer?.self)
  }

  /// Adds the out parameters of a function with `!`, empty.
  func addOutputs(hasResult: Bool) {
    let slots = argument(count + 3).assumingMemoryBound(to: UnsafeMutableRawPointer.self)
    result.initializeMemory(as: UInt8.self, repeating: 0, count: Self.slot)
    error.initialize(to: promise_value_t())
    error.pointee.kind = promise_kind_t(PROMISE_KIND_VOID)
    slots[0] = result
    slots[1] = UnsafeMutableRawPointer(error)
    addresses[count] = UnsafeMutableRawPointer(hasResult ? slots : slots + 1)
    addresses[count + 1] = UnsafeMutableRawPointer(slots + 1)
  }
}
