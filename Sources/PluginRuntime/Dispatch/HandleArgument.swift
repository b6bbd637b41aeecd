import CPromise

/// Stores arguments that are not plain data: promises, values, errors, tokens and callbacks.
enum HandleArgument {
  /// Stores an argument of any type, by value.
  static func store(
    _ value: UnsafePointer<promise_value_t>, _ plan: TypePlan, at memory: UnsafeMutableRawPointer, _ arena: CallArena
  ) throws(ArgumentMismatch) {
    let kind = Int(value.pointee.kind)
    if case .optional = plan.type, kind == PROMISE_KIND_VOID, plan.type.unwrapped.isHandle {
      return memory.storeBytes(of: 0, as: UInt.self)
    }
    switch plan.type.unwrapped {
    case .promise:
      guard kind == PROMISE_KIND_PROMISE, let handle = value.pointee.as.ptr else { throw mismatch(value, plan) }
      guard promise_state(OpaquePointer(handle)) > 0 else {
        throw ArgumentMismatch(message: "is a promise that was released, expected one that the caller holds")
      }
      memory.storeBytes(of: handle, as: UnsafeMutableRawPointer.self)
    case .value: try storeValue(value.pointee, memory, arena)
    case .error:
      if kind == PROMISE_KIND_ERROR { return try storeValue(value.pointee, memory, arena) }
      guard let content = try ValueConversion.content(value), let error = error(content) else {
        throw mismatch(value, plan)
      }
      arena.keep(error)
      try storeValue(error, memory, arena)
    case .token:
      guard kind == PROMISE_KIND_POINTER, let token = value.pointee.as.ptr else { throw mismatch(value, plan) }
      memory.storeBytes(of: token, as: UnsafeMutableRawPointer.self)
    default: try plan.store(value, at: memory, arena)
    }
  }

  /// Stores the address of a copy of the value that lives as long as the call.
  private static func storeValue(
    _ value: promise_value_t, _ memory: UnsafeMutableRawPointer, _ arena: CallArena
  ) throws(ArgumentMismatch) {
    let cell = try arena.allocate(MemoryLayout<promise_value_t>.size)
    cell.storeBytes(of: value, as: promise_value_t.self)
    memory.storeBytes(of: cell, as: UnsafeMutableRawPointer.self)
  }

  /// Converts {"domain": "...", "code": 3, "message": "..."} to an ERROR.
  private static func error(_ content: PluginValue) -> promise_value_t? {
    guard case .string(let message)? = content[member: "message"] else { return nil }
    var domain = "plugin-host"
    if case .string(let given)? = content[member: "domain"] { domain = given }
    var code: Int64 = 0
    if case .int(let given)? = content[member: "code"] { code = given }
    var error = promise_value_t()
    guard promise_value_error(&error, domain, code, message) == PROMISE_OK else { return nil }
    return error
  }

  private static func mismatch(_ value: UnsafePointer<promise_value_t>, _ plan: TypePlan) -> ArgumentMismatch {
    ArgumentMismatch(message: "is \(value.pointee.nameOfContent), expected \(plan.type.expectation)")
  }
}

extension ValueType {
  /// Whether the type is not plain data.
  fileprivate var isHandle: Bool {
    switch self {
    case .promise, .value, .error, .token, .callback: true
    default: false
    }
  }
}
