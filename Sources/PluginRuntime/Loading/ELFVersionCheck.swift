/// Checks the versions of symbols: the loader looks each version up in a table that it builds from two lists in the
/// file.
struct ELFVersionCheck {
  let dynamic: ELFDynamic
  private var image: ELFImage { dynamic.image }

  /// Returns the version of each symbol, checked; nothing if symbols have none.
  func versions(symbolCount: Int) throws(ELFMistake) -> [UInt8] {
    // The indices 0 and 1, VER_NDX_LOCAL and VER_NDX_GLOBAL, have no version.
    var highest: UInt16 = 0
    if let list = dynamic[ELFTag.versionsNeeded] { highest = max(highest, try needed(list)) }
    if let list = dynamic[ELFTag.versionsDefined] { highest = max(highest, try defined(list)) }
    guard let table = dynamic[ELFTag.versions] else { return [] }
    guard highest > 0 else { throw .damaged("its symbols have versions, but there is no list of them") }
    guard let words = image.bytes(at: table, UInt64(symbolCount) * 2) else {
      throw .damaged("its symbols' versions are not in the file")
    }
    for index in 0..<symbolCount {
      let version: UInt16 = FileReader.number(words, at: index * 2)
      guard version & 0x7FFF <= max(highest, 1) else {
        throw .damaged("its symbol \(index) has the version \(version & 0x7FFF), expected at most \(highest)")
      }
    }
    return words
  }

  /// Checks the versions that are needed of other libraries. Returns the highest version index.
  private func needed(_ list: UInt64) throws(ELFMistake) -> UInt16 {
    let libraries = Set(dynamic.texts(ELFTag.needed))
    var highest: UInt16 = 0
    try walk(list, size: 16, next: 12) { (entry, address) throws(ELFMistake) in
      try checkRevision(entry)
      let file: UInt32 = FileReader.number(entry, at: 4)
      // The loader searches the libraries that it has loaded, without handling a failed search.
      let name = String(decoding: try dynamic.text(at: UInt64(file)), as: UTF8.self)
      guard libraries.contains(name) else {
        throw .damaged("it needs versions of a library that none of its DT_NEEDED entries has")
      }
      let first: UInt32 = FileReader.number(entry, at: 8)
      try walk(address + UInt64(first), size: 16, next: 12) { (part, _) throws(ELFMistake) in
        try checkName(FileReader.number(part, at: 8))
        let version: UInt16 = FileReader.number(part, at: 6)
        highest = max(highest, version & 0x7FFF)
      }
    }
    return highest
  }

  /// Checks the versions that are defined here. Returns the highest version index.
  private func defined(_ list: UInt64) throws(ELFMistake) -> UInt16 {
    var highest: UInt16 = 0
    try walk(list, size: 20, next: 16) { (entry, address) throws(ELFMistake) in
      try checkRevision(entry)
      let version: UInt16 = FileReader.number(entry, at: 4)
      highest = max(highest, version & 0x7FFF)
      let first: UInt32 = FileReader.number(entry, at: 12)
      try walk(address + UInt64(first), size: 8, next: 4) { (part, _) throws(ELFMistake) in
        try checkName(FileReader.number(part, at: 0))
      }
    }
    return highest
  }

  private func checkRevision(_ entry: [UInt8]) throws(ELFMistake) {
    let revision: UInt16 = FileReader.number(entry, at: 0)
    guard revision == 1 else { throw .damaged("its list of versions is of revision \(revision), expected 1") }
  }

  private func checkName(_ offset: UInt32) throws(ELFMistake) {
    guard Int(offset) < dynamic.strings.count else {
      throw .damaged("it has a version with a name outside the string table")
    }
  }

  /// Visits the entries of a list. Each has the offset of the next one from itself; 0 ends the list. Offsets are never
  /// negative, so every list ends. Many lists may share their entries: the budget for reads bounds the visits.
  private func walk(
    _ start: UInt64, size: UInt64, next: Int, _ visit: ([UInt8], UInt64) throws(ELFMistake) -> Void
  ) throws(ELFMistake) {
    var address = start
    while true {
      guard let entry = image.bytes(at: address, size) else {
        throw .damaged("its list of versions leads out of the file")
      }
      try visit(entry, address)
      let distance: UInt32 = FileReader.number(entry, at: next)
      if distance == 0 { return }
      guard UInt64(distance) >= size else { throw .damaged("its list of versions has entries that overlap") }
      address += UInt64(distance)
    }
  }
}
