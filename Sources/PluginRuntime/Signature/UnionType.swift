/// A union, whose member is chosen by an integer field that stands before it in the same struct: its tag.
public struct UnionType: Sendable, Hashable {
  /// The name of the tag.
  public let tag: String
  /// The members; at least one.
  public let members: [StructType.Field]
  /// The values of the tag, by the members' names and in their order.
  public let values: ConstantSet

  /// The types of the union's values: for each member, a struct with that member alone.
  public var choices: [ValueType] { members.map { .structure(StructType(fields: [$0])) } }

  /// Returns the number of the member that a value of the tag chooses; `nil` if there is none.
  func index(tagged tag: PluginValue?) -> Int? {
    guard let bits = tag?.tagBits else { return nil }
    return values.constants.firstIndex { $0.value.tagBits == bits }
  }

  /// Returns the type of the union's value beside a value of the tag; `nil` if that chooses no member.
  public func choice(tagged tag: PluginValue?) -> ValueType? { index(tagged: tag).map { choices[$0] } }

  /// Returns the error for a value, described as `found`, of a union whose tag chooses no member.
  func mismatch(_ found: String) -> ArgumentMismatch {
    ArgumentMismatch(message: "is \(found), expected null: the value of '\(tag)' chooses no member")
  }
}

extension PluginValue {
  /// The bits of an integer, to compare integers of one type. They cost less than `==`, which is for all values.
  var tagBits: Int64? {
    switch self {
    case .int(let number): number
    case .uint(let number): Int64(bitPattern: number)
    default: nil
    }
  }
}

extension StructType {
  /// Returns the first union whose tag is the field of that name.
  public func union(taggedBy name: String) -> UnionType? {
    for field in fields { if case .union(let union) = field.type, union.tag == name { return union } }
    return nil
  }

  /// Returns the value of a tag that an argument leaves out, by the members that its unions have; `nil` if no
  /// union has that tag and a member.
  ///
  /// - Parameter member: returns the name of the member that the union in a field has.
  func value(ofTag field: Field, _ member: (_ union: String) -> String?) throws(ArgumentMismatch) -> PluginValue? {
    for other in fields {
      guard case .union(let union) = other.type, union.tag == field.name, let name = member(other.name)
      else { continue }
      guard let value = union.values[name] else {
        throw ArgumentMismatch(
          path: ".\(other.name).\(name)", message: "is not a member, expected \(union.values.list)")
      }
      return value
    }
    return nil
  }
}
