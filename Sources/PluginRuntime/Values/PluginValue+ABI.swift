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
      guard let wrapped = ValueConversion.wrap(value) else { return nil }
      self = wrapped
    case .pointer(let pointer):
      kind = promise_kind_t(PROMISE_KIND_POINTER)
      self.as.ptr = UnsafeMutableRawPointer(bitPattern: pointer.address)
    case .file, .array, .object:
      guard let wrapped = ValueConversion.wrap(value) else { return nil }
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
  /// The maximum nesting of arrays and objects, in values of plugins, frames of workers and JSON.
  static let maximumDepth = 128

  /// Converts a value of C. An ERROR becomes an object, as in `init(reason:)`.
  ///
  /// - Throws: `ArgumentMismatch` if a part is a pointer, a promise, an object or a discard, or nested too deep.
  init(_ value: UnsafePointer<promise_value_t>, depth: Int = 0) throws(ArgumentMismatch) {
    guard depth <= Self.maximumDepth else {
      throw ArgumentMismatch(message: "is nested deeper than \(Self.maximumDepth) levels")
    }
    switch Int(value.pointee.kind) {
    case Int(PROMISE_KIND_VOID): self = .void
    case Int(PROMISE_KIND_BOOL): self = .bool(value.pointee.as.b != 0)
    case Int(PROMISE_KIND_I64): self = .int(value.pointee.as.i64)
    case Int(PROMISE_KIND_U64): self = .uint(value.pointee.as.u64)
    case Int(PROMISE_KIND_F64): self = .double(value.pointee.as.f64)
    case Int(PROMISE_KIND_STRING): self = .string(Self.text(value))
    case Int(PROMISE_KIND_BYTES): self = .bytes([UInt8](Self.content(value)))
    case Int(PROMISE_KIND_ERROR):
      let domain = promise_value_domain(value).map { String(cString: $0) } ?? ""
      self = .error(domain: domain, code: promise_value_code(value), message: Self.text(value))
    default:
      guard let boxed = try ValueConversion.content(value, depth: depth) else {
        throw ArgumentMismatch(
          message:
            "is \(value.pointee.nameOfContent), expected a number, text, bytes, an error, or an array or map of them")
      }
      self = boxed
    }
  }

  private static func text(_ value: UnsafePointer<promise_value_t>) -> String {
    String(decoding: content(value), as: UTF8.self)
  }

  private static func content(_ value: UnsafePointer<promise_value_t>) -> UnsafeRawBufferPointer {
    var length = 0
    let data = promise_value_data(value, &length)
    return UnsafeRawBufferPointer(start: data, count: data == nil ? 0 : length)
  }
}
