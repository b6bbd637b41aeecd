import CPromise

/// Stores arguments that are not plain data: promises, values, errors, tokens and callbacks.
enum HandleArgument {
  /// Stores an argument of any type, by value.
  static func store(
    _ value: UnsafePointer<promise_value_t>, _ plan: TypePlan, at memory: UnsafeMutableRawPointer, _ arena: CallArena
  ) throws(ArgumentMismatch) {
    let kind = Int(value.pointee.kind)
    if kind == PROMISE_KIND_VOID, plan.type.isOptional { return try plan.store(value, at: memory, arena) }
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
      guard case .object(let members)? = try ValueConversion.content(value) else { throw mismatch(value, plan) }
      let error = try error(members)
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

  /// Converts {"domain": "...", "code": 3, "message": "..."} to an ERROR. An error that a call has given may have an
  /// origin and a cause too, which are not converted.
  private static func error(_ members: [PluginMember]) throws(ArgumentMismatch) -> promise_value_t {
    var texts = ["domain": "plugin-host"]
    var code: Int64 = 0
    for member in members {
      let expected: String
      switch (member.name, member.value) {
      case ("domain", .string(let text)) where !text.utf8.contains(0),
        ("message", .string(let text)) where !text.utf8.contains(0):
        texts[member.name] = text
        continue
      case ("code", let value):
        if case .int(let number)? = ScalarType.i64.suiting(value) {
          code = number
          continue
        }
        expected = "an integer"
      case ("domain", _), ("message", _): expected = "a string without a NUL"
      case ("origin", _), ("cause", _): continue
      default:
        throw ArgumentMismatch(path: ".\(member.name)", message: "is not a field, expected domain, code, message")
      }
      throw ArgumentMismatch(path: ".\(member.name)", message: "is \(member.value.name), expected \(expected)")
    }
    guard let message = texts["message"] else {
      throw ArgumentMismatch(path: ".message", message: "is missing, expected a string")
    }
    var error = promise_value_t()
    guard promise_value_error(&error, texts["domain"] ?? "", code, message) == PROMISE_OK else {
      throw CallArena.noMemory
    }
    return error
  }

  private static func mismatch(_ value: UnsafePointer<promise_value_t>, _ plan: TypePlan) -> ArgumentMismatch {
    ArgumentMismatch(message: "is \(value.pointee.nameOfContent), expected \(plan.type.expectation)")
  }
}
