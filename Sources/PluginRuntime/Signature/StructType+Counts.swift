/// Fields of a struct that count the elements behind other fields: `{data: bytes[size], size: u32}`.
extension StructType {
  /// Returns the index of the field that counts the elements of another field; `nil` if that has no count.
  func count(of field: Field) -> Int? {
    guard let name = field.type.countName else { return nil }
    return fields.firstIndex { $0.name == name && $0.type.isInteger }
  }

  /// Whether a field counts the elements of another one, so that an argument may leave it out.
  public func isCount(_ name: String) -> Bool { fields.contains { $0.type.countName == name } }
}
