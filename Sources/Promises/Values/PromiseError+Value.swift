// Conversion between `PromiseError` and the engine's ERROR with its chain of causes.

extension CellValue {
  static func error(_ error: PromiseError) -> CellValue {
    // Built from the root cause up: each error takes over the reference to its cause.
    CellValue.error(error.causes.reversed().reduce(.void, CellValue.error), error)
  }

  private static func error(_ cause: CellValue, _ error: PromiseError) -> CellValue {
    var (domain, message, origin) = (error.domain, error.message, error.origin ?? "")
    return domain.withUTF8 { domain in
      message.withUTF8 { message in
        origin.withUTF8 { origin in
          unsafe made(Box.error(domain: domain, code: error.code, message: message, origin: origin, cause: cause))
        }
      }
    }
  }
}

extension PromiseError {
  /// Converts an ERROR and its causes.
  init(_ value: CellValue) {
    self.init(alone: Box(value.owner))
    var causes: [PromiseError] = []
    var next = unsafe Box(value.owner).cause?.pointee
    while let cause = next, cause.kind == ValueKind.error.rawValue {
      causes.append(PromiseError(alone: Box(cause.owner)))
      next = unsafe Box(cause.owner).cause?.pointee
    }
    self.causes = causes
  }

  private init(alone box: Box) {
    unsafe self.init(
      domain: box.errorDomain.map { unsafe String(cString: $0) } ?? "", code: box.errorCode,
      message: unsafe String(decoding: box.bytes, as: UTF8.self),
      origin: box.originText.map { unsafe String(cString: $0) })
  }
}
