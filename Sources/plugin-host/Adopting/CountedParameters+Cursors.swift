/// Finds data whose address a function moves, beside the address of the number of elements that are left:
/// `(size_t *available_in, const uint8_t **next_in, size_t *available_out, uint8_t **next_out)`.
extension CountedParameters {
  /// Finds the data that are read, whose type says so, and beside these such data that are written.
  mutating func findCursors(_ types: [CType], _ names: [String], _ header: Header) {
    for isRead in [true, false] where isRead || !cursors.isEmpty {
      for index in types.indices where counts[index] == nil && Self.isCursor(types[index], isRead: isRead, header) {
        // If both orders are possible the number stands first: that of the next data is behind these. A number behind
        // other data is theirs.
        let isAnothers = index > 1 && Self.isData(types[index - 2], header)
        let beside = (isAnothers ? [index + 1] : [index - 1, index + 1]).first { number in
          types.indices.contains(number) && !counts.values.contains(number)
            && Self.isLeft(types[number], names[number], header)
        }
        guard let beside else { continue }
        counts[index] = beside
        addresses.insert(beside)
        cursors.insert(index)
      }
    }
  }

  /// Whether the parameter is the address of an address of data, which the function moves.
  func isCursor(_ index: Int) -> Bool { cursors.contains(index) }

  /// Whether a parameter counts data that are read: the host knows the number.
  func isCountOfRead(_ index: Int, _ types: [CType], _ header: Header) -> Bool {
    cursors.contains { counts[$0] == index && Self.isCursor(types[$0], isRead: true, header) }
  }

  private static func isCursor(_ type: CType, isRead: Bool, _ header: Header) -> Bool {
    guard case .pointer(let place, false) = type, case .pointer(let data, isRead) = header.resolved(place) else {
      return false
    }
    switch header.resolved(data) {
    case .char, .integer(_, 8): return true
    case .void: return !isHandle(data)
    default: return false
    }
  }

  private static func isLeft(_ type: CType, _ name: String, _ header: Header) -> Bool {
    guard case .pointer(let number, false) = type, case .integer(_, 32...) = header.resolved(number) else {
      return false
    }
    // A mere length may be written, and so may the address: blkid_probe_lookup_value(..., const char **, size_t *len).
    let name = name.lowercased()
    return ["avail", "left", "remain"].contains(where: name.contains)
  }
}
