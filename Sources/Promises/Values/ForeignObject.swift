/// An object of a type registered by another language: a promise that C settled may hold one. So may an array or a map
/// of C's that is nested too deep for Swift, whose own collections take stack to be released: then the type is "array" or
/// "map".
public final class ForeignObject: @unchecked Sendable {
  private let value: CellValue

  init(_ value: CellValue) {
    self.value = value
    _ = value.retain()
  }

  /// The value itself, as a reference of the caller's: back in C it is what it was.
  @usableFromInline var retained: CellValue {
    _ = value.retain()
    return value
  }

  deinit { value.release() }

  /// The name under which its type is registered.
  public var typeName: String {
    unsafe TypeRegistry.name(TypeRegistry.type(of: value)).map { unsafe String(cString: $0) } ?? ""
  }

  /// What its maker gave for it, borrowed: valid as long as this object lives. Of an array or a map, its first value, a
  /// `promise_value_t`.
  public var payload: UnsafeMutableRawPointer? { unsafe value.pointer }
}
