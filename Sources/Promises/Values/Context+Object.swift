// Swift objects, values and closures as the contexts of C functions.
extension Context {
  /// Makes a context that retains an object.
  init(owning object: AnyObject) {
    unsafe self.init(
      Unmanaged.passRetained(object).toOpaque(), { unsafe Unmanaged<AnyObject>.fromOpaque($0!).release() })
  }

  /// Makes a context that keeps a value, which `value(in:)` returns.
  init<Value>(keeping value: Value) { self.init(owning: ContextValue(value)) }

  /// Returns the value that a context keeps.
  static func value<Value>(_ type: Value.Type = Value.self, in context: UnsafeMutableRawPointer?) -> Value {
    unsafe Unmanaged<ContextValue<Value>>.fromOpaque(context!).takeUnretainedValue().value
  }

  /// Makes a context that keeps a closure, which `call` calls.
  init(_ block: @escaping () -> Void) { self.init(owning: BlockBox(block)) }

  /// Calls the closure in a context.
  static var call: FreeFunction {
    { unsafe Unmanaged<BlockBox>.fromOpaque($0!).takeUnretainedValue().block() }
  }
}

private final class ContextValue<Value> {
  let value: Value
  init(_ value: Value) { self.value = value }
}

/// A closure in a class that is not generic: a generic class would store it behind a thunk, which is allocated.
private final class BlockBox {
  let block: () -> Void
  init(_ block: @escaping () -> Void) { self.block = block }
}
