// Arrays and maps: `[Any]` and `[String: Any]` in Swift. A Swift dictionary has no order, a map has one: what comes from
// Swift is in any.

extension CellValue {
  /// As deep as C's collections become Swift's, and Swift's become C's: deeper, they stay what they are.
  private static var levels: Int { 256 }

  /// An ARRAY or a MAP of what is an `[Any]` or a `[String: Any]`; nil for anything else. An element that C has no kind
  /// for is an object.
  static func collection(_ value: Any) -> CellValue? {
    switch type(of: value) {
    case is [Any].Type: array(value as! [Any], level: 0)
    case is [String: Any].Type: map(value as! [String: Any], level: 0)
    default: nil
    }
  }

  @usableFromInline
  static func array(_ elements: [Any]) -> CellValue { array(elements, level: 0) }

  @usableFromInline
  static func map(_ entries: [String: Any]) -> CellValue { map(entries, level: 0) }

  /// What an ARRAY or a MAP is in Swift.
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
    // Exact types only, as for every dynamic value: an array of something else must come out as it went in.
    switch type(of: value) {
    case is Void.Type: .void
    case is [Any].Type where level < levels: array(value as! [Any], level: level)
    case is [String: Any].Type where level < levels: map(value as! [String: Any], level: level)
    case is [Any].Type, is [String: Any].Type: .object(SwiftBox<Any>(value))
    default: encoding(reason: value)
    }
  }
}
