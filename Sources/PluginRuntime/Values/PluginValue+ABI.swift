import CPromise

extension promise_value_t {
  /// Converts a value to C. The caller owns the reference. `nil` if memory has run out.
  init?(_ value: PluginValue) {
    self.init()
    switch value {
    case .void: kind = promise_kind_t(PROMISE_KIND_VOID)
    case .bool(let value):
      kind = promise_kind_t(PROMISE_KIND_BOOL)
      self.as.b = value ? 1 : 0
    case .int(let number):
      kind = promise_kind_t(PROMISE_KIND_I64)
      self.as.i64 = number
    case .uint(let number):
      kind = promise_kind_t(PROMISE_KIND_U64)
      self.as.u64 = number
    case .double(let number):
      kind = promise_kind_t(PROMISE_KIND_F64)
      self.as.f64 = number
    case .string(var string):
      let status = string.withUTF8 { utf8 in
        utf8.withMemoryRebound(to: CChar.self) { promise_value_string(&self, $0.baseAddress, $0.count) }
      }
      if status != PROMISE_OK { return nil }
    case .bytes(let bytes):
      let status = bytes.withUnsafeBytes { promise_value_bytes(&self, $0.baseAddress, $0.count) }
      if status != PROMISE_OK { return nil }
    case .pointer(let pointer) where pointer.object != nil:
      guard let wrapped = ValueBox.wrap(value) else { return nil }
      self = wrapped
    case .pointer(let pointer):
      kind = promise_kind_t(PROMISE_KIND_POINTER)
      self.as.ptr = UnsafeMutableRawPointer(bitPattern: pointer.address)
    case .array, .object:
      guard let wrapped = ValueBox.wrap(value) else { return nil }
      self = wrapped
    }
  }

  /// Makes a PROMISE. Takes over the caller's reference.
  init(promise handle: OpaquePointer) {
    self.init()
    kind = promise_kind_t(PROMISE_KIND_PROMISE)
    self.as.ptr = UnsafeMutableRawPointer(handle)
  }
}

extension PluginValue {
  /// Converts a value of C; `nil` if its kind is not the result of any signature.
  init?(_ value: UnsafePointer<promise_value_t>) {
    switch Int(value.pointee.kind) {
    case Int(PROMISE_KIND_VOID): self = .void
    case Int(PROMISE_KIND_BOOL): self = .bool(value.pointee.as.b != 0)
    case Int(PROMISE_KIND_I64): self = .int(value.pointee.as.i64)
    case Int(PROMISE_KIND_U64): self = .uint(value.pointee.as.u64)
    case Int(PROMISE_KIND_F64): self = .double(value.pointee.as.f64)
    case Int(PROMISE_KIND_STRING): self = .string(String(decoding: Self.content(value), as: UTF8.self))
    case Int(PROMISE_KIND_BYTES): self = .bytes([UInt8](Self.content(value)))
    default:
      guard let boxed = ValueBox.content(value) else { return nil }
      self = boxed
    }
  }

  private static func content(_ value: UnsafePointer<promise_value_t>) -> UnsafeRawBufferPointer {
    var length = 0
    let data = promise_value_data(value, &length)
    return UnsafeRawBufferPointer(start: data, count: data == nil ? 0 : length)
  }
}
