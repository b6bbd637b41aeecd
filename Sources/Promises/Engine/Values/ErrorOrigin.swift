import CPlatform

/// The rarely used parts of an error: its origin and its cause.
@safe
struct ErrorOrigin {
  /// Any value; VOID: no cause.
  var cause: CellValue
  /// The text, in the same allocation, followed by a NUL; nil if unknown.
  var text: UnsafeMutablePointer<CChar>?
}

extension Box {
  /// The cause of an error or a cancellation, borrowed from it.
  package var cause: UnsafePointer<CellValue>? {
    if kind == .discarded { return unsafe UnsafePointer(discardCause) }
    guard let origin = unsafe origin, unsafe origin.pointee.cause.kind != ValueKind.void.rawValue else { return nil }
    return unsafe UnsafeRawPointer(origin).assumingMemoryBound(to: CellValue.self)
  }

  /// The origin of an error, followed by a NUL.
  package var originText: UnsafePointer<CChar>? { unsafe UnsafePointer(origin?.pointee.text) }

  /// Makes an ERROR with all optional parts. Takes ownership of the cause, also when memory has run out. A cause of
  /// VOID means none, as does an empty origin.
  package static func error(
    domain: UnsafeBufferPointer<UInt8>, code: Int64, message: UnsafeBufferPointer<UInt8>,
    origin text: UnsafeBufferPointer<UInt8>, cause: CellValue
  ) -> CellValue? {
    if text.isEmpty && cause.kind == ValueKind.void.rawValue {
      return unsafe error(domain: domain, code: code, message: message)
    }
    let offset = MemoryLayout<ErrorOrigin>.size
    guard let memory = unsafe malloc(offset + text.count + 1) else {
      cause.release()
      return nil
    }
    let origin = unsafe memory.assumingMemoryBound(to: ErrorOrigin.self)
    unsafe origin.initialize(to: ErrorOrigin(cause: cause, text: nil))
    if let source = text.baseAddress, text.count > 0 {
      let copy = unsafe (memory + offset).assumingMemoryBound(to: UInt8.self)
      unsafe copy.update(from: source, count: text.count)
      unsafe copy[text.count] = 0
      unsafe origin.pointee.text = unsafe (memory + offset).assumingMemoryBound(to: CChar.self)
    }
    guard let error = unsafe error(domain: domain, code: code, message: message) else {
      unsafe platform_free(memory)
      cause.release()
      return nil
    }
    unsafe error.owner.contextFree = unsafe unsafeBitCast(memory, to: FreeFunction.self)
    return error
  }

  /// Frees the origin and the cause.
  func freeOrigin() {
    guard let origin = unsafe origin else { return }
    unsafe origin.pointee.cause.release()
    unsafe platform_free(origin)
  }

  private var origin: UnsafeMutablePointer<ErrorOrigin>? {
    unsafe unsafeBitCast(ref.contextFree, to: UnsafeMutablePointer<ErrorOrigin>?.self)
  }
}
