import CPromise

/// The memory of one call, on the stack: the arguments as C has them, what the function returns, its out parameters,
/// and the addresses of all that, which is what libffi takes.
struct CallFrame {
  /// Where everything lies.
  struct Layout {
    /// Behind the arguments: what the function returns, the result and the error of a `!`, the addresses of these two.
    let returned: Int
    let result: Int
    let error: Int
    let outputs: Int
    let addresses: Int
    let size: Int

    /// The layout behind arguments that end at `end`.
    init(end: Int, count: Int, resultSize: Int) {
      // libffi writes at least a word.
      let result = max(16, (resultSize + 15) & ~15)
      returned = end
      self.result = returned + result
      error = self.result + result
      outputs = error + 16
      addresses = outputs + 16
      size = addresses + (count + 2) * MemoryLayout<UnsafeMutableRawPointer>.size
    }
  }

  private let base: UnsafeMutableRawPointer
  private let layout: UnsafePointer<Layout>

  init(_ base: UnsafeMutableRawPointer, _ layout: UnsafePointer<Layout>) {
    self.base = base
    self.layout = layout
  }

  @inline(__always)
  func argument(at offset: Int) -> UnsafeMutableRawPointer { base + offset }
  /// What the function returns.
  var returned: UnsafeMutableRawPointer { base + layout.pointee.returned }
  /// Where a function with `!` leaves its result.
  var result: UnsafeMutableRawPointer { base + layout.pointee.result }
  /// Where a function with `!` leaves its error.
  var error: UnsafeMutablePointer<promise_value_t> {
    (base + layout.pointee.error).assumingMemoryBound(to: promise_value_t.self)
  }

  var addresses: UnsafeMutablePointer<UnsafeMutableRawPointer?> {
    (base + layout.pointee.addresses).assumingMemoryBound(to: UnsafeMutableRawPointer?.self)
  }

  /// Adds the out parameters of a function with `!`, empty.
  func addOutputs(after count: Int, hasResult: Bool) {
    let outputs = (base + layout.pointee.outputs).assumingMemoryBound(to: UnsafeMutableRawPointer.self)
    result.initializeMemory(as: UInt8.self, repeating: 0, count: layout.pointee.error - layout.pointee.result)
    error.initialize(to: promise_value_t())
    error.pointee.kind = promise_kind_t(PROMISE_KIND_VOID)
    outputs[0] = result
    outputs[1] = UnsafeMutableRawPointer(error)
    addresses[count] = UnsafeMutableRawPointer(hasResult ? outputs : outputs + 1)
    addresses[count + 1] = UnsafeMutableRawPointer(outputs + 1)
  }
}
