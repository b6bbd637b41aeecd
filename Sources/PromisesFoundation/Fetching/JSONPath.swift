import Foundation

/// Returns the part of decoded JSON that a path leads to.
///
///     URLSession.shared.fetchJSON(from: "example.org/users")
///       .map { jsonValue(at: "users/[0]/name", in: $0) as? String }
///
/// The parts of a path are separated by `/`; empty parts are ignored. `[2]` is the third element of an array; any other
/// part is the key of a dictionary. So a key that has a `/`, or that is a number in brackets, cannot be reached.
///
/// - Parameters:
///   - path: the path. An empty one leads to `json` itself.
///   - json: an object of `JSONSerialization`, as `URLSession.fetchJSON(from:accepting:)` fetches it.
/// - Returns: the value, which is `NSNull` for a `null`; `nil` if the path leads to nothing: a key or an index is
///   missing, or a part does not suit the value.
public func jsonValue(at path: String, in json: Any?) -> Any? {
  path.split(separator: "/").reduce(json) { value, part in
    if let index = arrayIndex(part) {
      guard let array = value as? [Any], index < array.count else { return nil }
      return array[index]
    }
    return (value as? [String: Any])?[String(part)]
  }
}

/// Returns the index in a part such as `[2]`, decimal digits in brackets. An index too large for `Int` is returned as
/// `Int.max`, which is past the end of any array.
private func arrayIndex(_ part: Substring) -> Int? {
  guard part.first == "[", part.last == "]" else { return nil }
  let digits = part.dropFirst().dropLast()
  guard !digits.isEmpty, digits.allSatisfy({ "0"..."9" ~= $0 }) else { return nil }
  return Int(digits) ?? .max
}
