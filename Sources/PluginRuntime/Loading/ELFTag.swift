/// The tags of a dynamic section.
enum ELFTag {
  static let end: UInt64 = 0, needed: UInt64 = 1
  static let hash: UInt64 = 4, strings: UInt64 = 5, symbols: UInt64 = 6, stringsSize: UInt64 = 10
  static let symbolSize: UInt64 = 11, name: UInt64 = 14, pathOld: UInt64 = 15, path: UInt64 = 29
  static let gnuHash: UInt64 = 0x6FFF_FEF5, flags: UInt64 = 30, flags1: UInt64 = 0x6FFF_FFFB
  static let pltGOT: UInt64 = 3, pltRelocations: UInt64 = 23, pltRelocationsSize: UInt64 = 2
  static let pltRelocationsKind: UInt64 = 20, textRelocations: UInt64 = 22
  static let rela: UInt64 = 7, relaSize: UInt64 = 8, relaEntrySize: UInt64 = 9, relaCount: UInt64 = 0x6FFF_FFF9
  static let rel: UInt64 = 17, relSize: UInt64 = 18
  static let relr: UInt64 = 36, relrSize: UInt64 = 35, relrEntrySize: UInt64 = 37
  static let initialiser: UInt64 = 12, initialisers: UInt64 = 25, initialisersSize: UInt64 = 27
  static let finaliser: UInt64 = 13, finalisers: UInt64 = 26, finalisersSize: UInt64 = 28
  static let preinitialisers: UInt64 = 32, preinitialisersSize: UInt64 = 33
  static let versions: UInt64 = 0x6FFF_FFF0
  static let versionsDefined: UInt64 = 0x6FFF_FFFC, versionsNeeded: UInt64 = 0x6FFF_FFFE
  static let configuration: UInt64 = 0x6FFF_FEFA, auditOfDependencies: UInt64 = 0x6FFF_FEFB, audit: UInt64 = 0x6FFF_FEFC
  static let auxiliary: UInt64 = 0x7FFF_FFFD, filter: UInt64 = 0x7FFF_FFFF

  /// Tables that the loader walks, by their tag and that of their size in bytes.
  static let tables: [(address: UInt64, size: UInt64)] = [
    (strings, stringsSize), (rela, relaSize), (rel, relSize), (relr, relrSize), (pltRelocations, pltRelocationsSize),
    (initialisers, initialisersSize), (finalisers, finalisersSize), (preinitialisers, preinitialisersSize),
  ]
  /// Addresses without a size.
  static let addresses: [UInt64] = [
    pltGOT, hash, symbols, initialiser, finaliser, gnuHash, versions, versionsDefined, versionsNeeded,
  ]
  /// Offsets in the string table.
  static let texts: [UInt64] = [needed, name, pathOld, path, auxiliary, filter]
  /// Tags that may occur several times.
  static let repeated: Set<UInt64> = [needed, auxiliary, filter]

  static let hasTextRelocations: UInt64 = 4
  static let isProgram: UInt64 = 0x0800_0000
  static let isNeverUnloaded: UInt64 = 8

  /// Whether some linker writes the tag into a shared library.
  static func isKnown(_ tag: UInt64) -> Bool {
    switch tag {
    // General tags, and those of GNU and Solaris for values, addresses and versions.
    case 1...30, 32...37, 0x6FFF_FDF5...0x6FFF_FDFF, 0x6FFF_FEF5...0x6FFF_FEFF, 0x6FFF_FFF0, 0x6FFF_FFF9...0x6FFF_FFFF:
      true
    // Tags of the machine.
    case 0x7000_0000...0x7000_0005: true
    case auxiliary, 0x7FFF_FFFE, filter: true
    default: false
    }
  }
}
