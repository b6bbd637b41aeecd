/// An object whose type another language registered, as the value or reason of a promise that C settled.
///
/// An array or a map of C that is nested too deeply for Swift is a `ForeignObject`, too, with "array" or "map" as its
/// type name: releasing nested Swift collections uses stack in proportion to the depth.
public final class ForeignObject: @unchecked Sendable {
  private let value: CellValue

  init(_ value: CellValue) {
    self.value = value
    _ = value.retain()
  }

  /// The engine's value, converted back without a change. The caller owns the reference.
  @usableFromInline var retained: CellValue {
    _ = value.retain()
    return value
  }

  deinit { value.release() }

  /// The name under which the type is registered.
  public var typeName: String {
    unsafe TypeRegistry.name(TypeRegistry.type(of: value)).map { unsafe String(cString: $0) } ?? ""
  }

  /// The pointer that the object was made with, borrowed: valid as long as this object lives. For an array or a map,
  /// the address of its first value, a `promise_value_t`.
  public var payload: UnsafeMutableRawPointer? { unsafe value.pointer }
}
