// Conversion of arrays and maps to and from `[Any]` and `[String: Any]`. A map is ordered and a Swift dictionary is
// not: a map made in Swift has its entries in arbitrary order.

extension CellValue {
  /// The nesting depth to which collections of C and Swift are converted. Deeper collections keep their original form.
  private static var levels: Int { 256 }

  /// Converts an `[Any]` to an ARRAY and a `[String: Any]` to a MAP; nil for any other type. An element without a kind
  /// in C becomes an OBJECT.
  static func collection(_ value: Any) -> CellValue? {
    let type = type(of: value)
    if type == [Any].self { return array(value as! [Any], level: 0) }
    return type == [String: Any].self ? map(value as! [String: Any], level: 0) : nil
  }

  @usableFromInline
  static func array(_ elements: [Any]) -> CellValue { array(elements, level: 0) }

  @usableFromInline
  static func map(_ entries: [String: Any]) -> CellValue { map(entries, level: 0) }

  /// Converts an ARRAY or a MAP to a Swift collection.
  func collection(level: Int) -> Any {
    guard level < CellValue.levels else { return ForeignObject(self) }
    let box = Box(owner)
    guard box.kind == .map else { return unsafe box.elements.map { $0.any(level: level + 1) } as [Any] }
    var entries: [String: Any] = [:]
    entries.reserveCapacity(box.count)
    for index in 0..<box.count {
      let key = unsafe String(decoding: box.key(index).bytes, as: UTF8.self)
      entries[key] = unsafe box.elements[index].any(level: level + 1)
    }
    return entries
  }

  private static func array(_ elements: [Any], level: Int) -> CellValue {
    let values = elements.map { element($0, level: level + 1) }
    return unsafe values.withUnsafeBytes { unsafe made(Box.array($0.baseAddress, count: values.count)) }
  }

  private static func map(_ entries: [String: Any], level: Int) -> CellValue {
    guard let builder = ValueBuilder(.map, capacity: entries.count) else { fatalError("no memory for a value") }
    for (key, value) in entries {
      guard builder.set(string(key), element(value, level: level + 1)) == nil else {
        fatalError("no memory for a value")
      }
    }
    return made(builder.finish())
  }

  private static func element(_ value: Any, level: Int) -> CellValue {
    // Exact types only, as for every dynamic value: an array of another element type must keep its type.
    switch type(of: value) {
    case is Void.Type: .void
    case is [Any].Type where level < levels: array(value as! [Any], level: level)
    case is [String: Any].Type where level < levels: map(value as! [String: Any], level: level)
    case is [Any].Type, is [String: Any].Type: .object(SwiftBox<Any>(value))
    default: encoding(reason: value)
    }
  }
}
