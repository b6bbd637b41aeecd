import CPromise

/// Gives a function what it may call.
enum CallbackArgument {
  /// Stores the function pointer that an argument is: a POINTER to a C function of the callback's prototype.
  static func store(
    _ value: UnsafePointer<promise_value_t>, _ type: CallbackType, at memory: UnsafeMutableRawPointer,
    _ arena: CallArena
  ) throws(ArgumentMismatch) {
    guard value.pointee.kind == promise_kind_t(PROMISE_KIND_POINTER), let function = value.pointee.as.ptr else {
      throw ArgumentMismatch(message: "is \(value.pointee.nameOfContent), expected a C function, \(type)")
    }
    memory.storeBytes(of: function, as: UnsafeMutableRawPointer.self)
  }
}
