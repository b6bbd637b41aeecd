import CPromise

/// The memory of one call, on the stack: the arguments in C's representation, the result, the out parameters, and the
/// addresses of all these for libffi.
struct CallFrame {
  /// The offsets of the parts.
  struct Layout {
    /// After the arguments: the C result, the result and the error of a function with `!`, and the addresses of these
    /// two.
    let returned: Int
    let result: Int
    let error: Int
    let outputs: Int
    let addresses: Int
    let size: Int

    /// Computes the layout of a frame whose arguments end at `end`.
    init(end: Int, count: Int, resultSize: Int) {
      // libffi writes at least one word.
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
  /// The C result.
  var returned: UnsafeMutableRawPointer { base + layout.pointee.returned }
  /// The result of a function with `!`.
  var result: UnsafeMutableRawPointer { base + layout.pointee.result }
  /// The error of a function with `!`.
  var error: UnsafeMutablePointer<promise_value_t> {
    (base + layout.pointee.error).assumingMemoryBound(to: promise_value_t.self)
  }

  var addresses: UnsafeMutablePointer<UnsafeMutableRawPointer?> {
    (base + layout.pointee.addresses).assumingMemoryBound(to: UnsafeMutableRawPointer?.self)
  }

  /// Clears the result and the error of a function with `!`, and appends the out parameters for them to libffi's
  /// arguments, behind the first `count`.
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
