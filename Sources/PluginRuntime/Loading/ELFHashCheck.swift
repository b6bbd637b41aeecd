/// Checks the tables by which the loader finds symbols: every chain ends, and within the symbols.
struct ELFHashCheck {
  let dynamic: ELFDynamic
  private var image: ELFImage { dynamic.image }

  /// Returns the number of symbols that can be found; symbols that only other libraries define may not be among them.
  func symbolCount() throws(ELFMistake) -> UInt64 {
    var count: UInt64 = 0
    if let table = dynamic[ELFTag.gnuHash] { count = try gnu(table) }
    if let table = dynamic[ELFTag.hash] { count = max(count, try systemV(table)) }
    return count
  }

  private func gnu(_ table: UInt64) throws(ELFMistake) -> UInt64 {
    let outside = ELFMistake.damaged("its hash table is not in the file")
    guard let head = image.bytes(at: table, 16) else { throw outside }
    let bucketCount: UInt32 = FileReader.number(head, at: 0)
    let first: UInt32 = FileReader.number(head, at: 4)
    let bloomCount: UInt32 = FileReader.number(head, at: 8)
    guard bloomCount.nonzeroBitCount == 1 else {
      throw .damaged("its hash table has \(bloomCount) filter words, expected a power of two")
    }
    let start = table + 16 + UInt64(bloomCount) * 8
    guard image.bytes(at: table + 16, UInt64(bloomCount) * 8) != nil,
      let buckets = image.bytes(at: start, UInt64(bucketCount) * 4)
    else { throw outside }
    var highest: UInt32 = 0
    for bucket in stride(from: 0, to: buckets.count, by: 4) {
      let index: UInt32 = FileReader.number(buckets, at: bucket)
      guard index == 0 || index >= first else {
        throw .damaged("its hash table has the symbol \(index) in a bucket, expected none before \(first)")
      }
      highest = max(highest, index)
    }
    guard highest > 0 else { return UInt64(first) }
    // Chains are adjacent: one without an end continues in the next, so all end if the last does.
    let chains = start + UInt64(bucketCount) * 4
    var index = UInt64(highest - first)
    let limit = image.bytesLeft(from: chains) / 4
    while index < limit, let entry: UInt32 = image.number(at: chains + index * 4) {
      index += 1
      if entry & 1 == 1 { return index + UInt64(first) }
    }
    throw .damaged("its hash table has a chain without an end")
  }

  private func systemV(_ table: UInt64) throws(ELFMistake) -> UInt64 {
    let outside = ELFMistake.damaged("its hash table is not in the file")
    guard let head = image.bytes(at: table, 8) else { throw outside }
    let bucketCount: UInt32 = FileReader.number(head, at: 0)
    let chainCount: UInt32 = FileReader.number(head, at: 4)
    let length = (UInt64(bucketCount) + UInt64(chainCount)) * 4
    guard let words = image.bytes(at: table + 8, length) else { throw outside }
    // Each symbol is in one chain. A symbol that occurs again means a cycle, or two chains with the same symbol.
    var isMet = [Bool](repeating: false, count: Int(chainCount))
    for bucket in 0..<Int(bucketCount) {
      var index: UInt32 = FileReader.number(words, at: bucket * 4)
      while index != 0 {
        guard index < chainCount else { throw .damaged("its hash table has a chain that leads out of it") }
        guard !isMet[Int(index)] else { throw .damaged("its hash table has a chain without an end") }
        isMet[Int(index)] = true
        index = FileReader.number(words, at: (Int(bucketCount) + Int(index)) * 4)
      }
    }
    return UInt64(chainCount)
  }
}
