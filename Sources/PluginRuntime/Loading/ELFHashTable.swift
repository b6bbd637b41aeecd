/// A table by which the loader finds symbols, read into memory: every chain in it ends, and within the symbols.
enum ELFHashTable {
  /// DT_GNU_HASH. `buckets` has the first symbol of each chain, and `hashes` those of the symbols from `first` on; the
  /// lowest bit of a hash ends its chain.
  case gnu(first: UInt32, buckets: ELFWords, hashes: ELFWords)
  /// DT_HASH. `next` has the next symbol of each symbol's chain; 0 ends the chain.
  case systemV(buckets: ELFWords, next: ELFWords)

  typealias Found = (table: ELFHashTable, symbolCount: UInt64)

  /// Reads the table of a library; `nil` if it has none. Of two tables, the loader uses DT_GNU_HASH.
  ///
  /// - Parameter capacity: the number of symbols that the symbol table has space for.
  /// - Returns: the table, and the number of symbols that can be found by both: symbols that only other libraries
  ///   define may not be among them.
  static func read(_ dynamic: ELFDynamic, capacity: UInt64) throws(ELFMistake) -> Found? {
    var old: Found?
    if let table = dynamic[ELFTag.hash] { old = try readSystemV(table, dynamic.image, capacity) }
    guard let table = dynamic[ELFTag.gnuHash] else { return old }
    let new = try readGNU(table, dynamic.image, capacity)
    return (new.table, max(new.symbolCount, old?.symbolCount ?? 0))
  }

  private static var outside: ELFMistake { .damaged("its hash table is not in the file") }

  private static func readGNU(_ table: UInt64, _ image: ELFImage, _ capacity: UInt64) throws(ELFMistake) -> Found {
    guard let head = image.bytes(at: table, 16).map(ELFWords.init) else { throw outside }
    let (bucketCount, first, bloomCount) = (head[0], head[1], head[2])
    guard bloomCount.nonzeroBitCount == 1 else {
      throw .damaged("its hash table has \(bloomCount) filter words, expected a power of two")
    }
    let start = table + 16 + UInt64(bloomCount) * 8
    guard image.offset(of: table + 16, UInt64(bloomCount) * 8) != nil,
      let buckets = image.bytes(at: start, UInt64(bucketCount) * 4).map(ELFWords.init)
    else { throw outside }
    guard UInt64(first) <= capacity else { throw excess(UInt64(first), capacity) }
    var highest: UInt32 = 0
    for bucket in 0..<buckets.count {
      let index = buckets[bucket]
      guard index == 0 || index >= first else {
        throw .damaged("its hash table has the symbol \(index) in a bucket, expected none before \(first)")
      }
      highest = max(highest, index)
    }
    let chains = start + UInt64(bucketCount) * 4
    let length = min(image.bytesLeft(from: chains) / 4, capacity - UInt64(first))
    guard highest > 0 else { return (.gnu(first: first, buckets: buckets, hashes: ELFWords([])), UInt64(first)) }
    guard let hashes = image.bytes(at: chains, length * 4).map(ELFWords.init) else { throw outside }
    // Chains are adjacent: one without an end continues in the next, so all end if the last does.
    var index = Int(highest - first)
    while index < hashes.count {
      index += 1
      if hashes[index - 1] & 1 == 1 {
        return (.gnu(first: first, buckets: buckets, hashes: hashes), UInt64(index) + UInt64(first))
      }
    }
    throw .damaged("its hash table has a chain without an end among its \(capacity) symbols")
  }

  private static func readSystemV(_ table: UInt64, _ image: ELFImage, _ capacity: UInt64) throws(ELFMistake) -> Found {
    guard let head = image.bytes(at: table, 8).map(ELFWords.init) else { throw outside }
    let (bucketCount, chainCount) = (head[0], head[1])
    guard UInt64(chainCount) <= capacity else { throw excess(UInt64(chainCount), capacity) }
    guard let buckets = image.bytes(at: table + 8, UInt64(bucketCount) * 4).map(ELFWords.init),
      let next = image.bytes(at: table + 8 + UInt64(bucketCount) * 4, UInt64(chainCount) * 4).map(ELFWords.init)
    else { throw outside }
    // Each symbol is in one chain. A symbol that occurs again means a cycle, or two chains with the same symbol.
    var isMet = [Bool](repeating: false, count: next.count)
    for bucket in 0..<buckets.count {
      var index = buckets[bucket]
      while index != 0 {
        guard index < chainCount else { throw .damaged("its hash table has a chain that leads out of it") }
        guard !isMet[Int(index)] else { throw .damaged("its hash table has a chain without an end") }
        isMet[Int(index)] = true
        index = next[Int(index)]
      }
    }
    return (.systemV(buckets: buckets, next: next), UInt64(chainCount))
  }

  private static func excess(_ count: UInt64, _ capacity: UInt64) -> ELFMistake {
    .damaged("its hash table has \(count) symbols, expected at most \(capacity)")
  }

  /// The number of symbols at the beginning of the symbol table that include all those that other libraries define.
  var neededCount: Int {
    switch self {
    case .gnu(let first, _, _): Int(first)
    case .systemV(_, let next): next.count
    }
  }

  /// Returns the index of the symbol that has the name, and for whose index `matches` returns true.
  func symbol(named name: String, where matches: (Int) -> Bool) -> Int? {
    switch self {
    case .gnu(let first, let buckets, let hashes):
      let hash = name.utf8.reduce(5381 as UInt32) { $0 &* 33 &+ UInt32($1) }
      guard buckets.count > 0, case let start = buckets[Int(hash) % buckets.count], start >= first else { return nil }
      for index in Int(start - first)..<max(hashes.count, Int(start - first)) {
        if hashes[index] | 1 == hash | 1, matches(index + Int(first)) { return index + Int(first) }
        if hashes[index] & 1 == 1 { return nil }
      }
      return nil
    case .systemV(let buckets, let next):
      let hash = name.utf8.reduce(0 as UInt32) { hash, byte in
        let sum = hash << 4 &+ UInt32(byte)
        return (sum ^ (sum & 0xF000_0000) >> 24) & 0x0FFF_FFFF
      }
      guard buckets.count > 0 else { return nil }
      var index = Int(buckets[Int(hash) % buckets.count])
      while index != 0, !matches(index) { index = Int(next[index]) }
      return index == 0 ? nil : index
    }
  }
}

/// Numbers of 32 bits in a file.
struct ELFWords {
  private let bytes: [UInt8]

  init(_ bytes: [UInt8]) { self.bytes = bytes }

  var count: Int { bytes.count / 4 }
  subscript(index: Int) -> UInt32 { FileReader.number(bytes, at: index * 4) }
}
