import CPromise

/// Arrays and objects as values of C: an OBJECT of a type of the host's, until the ABI has kinds for them.
enum ValueBox {
  private final class Box: Sendable {
    let value: PluginValue
    init(_ value: PluginValue) { self.value = value }
  }

  /// `nil` for want of memory.
  private nonisolated(unsafe) static let type = promise_type_register(
    "promise.plugin-value", nil, { Unmanaged<Box>.fromOpaque($0!).release() })

  /// A reference of the caller's; `nil` for want of memory.
  static func wrap(_ value: PluginValue) -> promise_value_t? {
    var wrapped = promise_value_t()
    // With no type the payload would stay ours.
    guard type != nil else { return nil }
    let box = Unmanaged.passRetained(Box(value)).toOpaque()
    return promise_value_object(&wrapped, type, box) == PROMISE_OK ? wrapped : nil
  }

  /// What a value holds; `nil` if it is no such OBJECT.
  static func content(_ value: UnsafePointer<promise_value_t>) -> PluginValue? {
    guard value.pointee.kind == promise_kind_t(PROMISE_KIND_OBJECT), promise_value_is(value, type),
      let box = promise_value_data(value, nil)
    else { return nil }
    return Unmanaged<Box>.fromOpaque(UnsafeRawPointer(box)).takeUnretainedValue().value
  }
}
