/// Numbers of the ELF format.
package enum ELF {
  /// The first bytes of each file.
  static let magic = [0x7F, UInt8(ascii: "E"), UInt8(ascii: "L"), UInt8(ascii: "F")]
  static let headerSize = 64
  static let typeShared: UInt16 = 3

  /// Whether a file begins as a shared library, for any machine whose least significant byte is the first.
  package static func isSharedLibrary(_ bytes: [UInt8]) -> Bool {
    bytes.count >= headerSize && bytes.starts(with: magic)
      && FileReader.number(bytes, at: 16, as: UInt16.self) == typeShared
  }

  /// The machine that this process runs on.
  static var hostMachine: UInt16 {
    #if arch(x86_64)
    62
    #elseif arch(arm64)
    183
    #elseif arch(riscv64)
    243
    #else
    #error("the machine's number in the ELF format is missing here")
    #endif
  }

  static func name(ofMachine machine: UInt16, is64Bit: Bool, isLittleEndian: Bool) -> String {
    let names: [UInt16: String] = [
      2: "SPARC", 3: "32-bit x86", 8: "MIPS", 20: "32-bit PowerPC", 21: "64-bit PowerPC", 22: "IBM Z", 40: "32-bit ARM",
      43: "64-bit SPARC",
      50: "Itanium", 62: "x86-64", 183: "AArch64", 243: "RISC-V", 247: "BPF", 258: "LoongArch",
    ]
    let name = names[machine] ?? "machine \(machine)"
    // The usual word size is omitted.
    let word = is64Bit || name.contains("32-bit") ? "" : " (32-bit)"
    return name + word + (isLittleEndian ? "" : ", big-endian")
  }
}

/// A program header: a part of the file that the loader maps, and its address.
struct ELFSegment: Equatable {
  static let size = 56
  static let load: UInt32 = 1, dynamic: UInt32 = 2, note: UInt32 = 4, headers: UInt32 = 6, threadLocal: UInt32 = 7
  static let unwinding: UInt32 = 0x6474_E550, stack: UInt32 = 0x6474_E551
  static let readOnlyAfterRelocation: UInt32 = 0x6474_E552, property: UInt32 = 0x6474_E553
  /// The end of the addresses of a process. No sum of an address in a loaded segment and numbers of 32 bits overflows.
  static let end: UInt64 = 1 << 48
  /// Types of which the loader uses the last header, and other readers the first.
  static let single = [dynamic, headers, threadLocal, unwinding, stack, readOnlyAfterRelocation, property]
  /// Types that name a part of a loaded segment.
  static let parts: Set<UInt32> = [note, headers, threadLocal, unwinding, readOnlyAfterRelocation, property]

  let type: UInt32
  private let flags: UInt32
  let offset: UInt64
  let address: UInt64
  let fileSize: UInt64
  let memorySize: UInt64
  let alignment: UInt64

  init(_ table: [UInt8], at offset: Int) {
    type = FileReader.number(table, at: offset)
    flags = FileReader.number(table, at: offset + 4)
    self.offset = FileReader.number(table, at: offset + 8)
    address = FileReader.number(table, at: offset + 16)
    fileSize = FileReader.number(table, at: offset + 32)
    memorySize = FileReader.number(table, at: offset + 40)
    alignment = FileReader.number(table, at: offset + 48)
  }

  var isExecutable: Bool { flags & 1 != 0 }
  var isWritable: Bool { flags & 2 != 0 }
  /// "r-x", as the kernel writes it.
  var access: String { (flags & 4 != 0 ? "r" : "-") + (isWritable ? "w" : "-") + (isExecutable ? "x" : "-") }
  /// The addresses of the segment, which must be a loaded one, and have been checked.
  var memory: Range<UInt64> { address..<address + memorySize }

  /// Whether the segment's memory contains this range.
  func contains(_ start: UInt64, _ length: UInt64) -> Bool {
    guard start >= address, start - address <= memorySize else { return false }
    return length <= memorySize - (start - address)
  }
}

/// A symbol that a shared library defines.
struct ELFSymbol {
  static let size = 24

  let nameOffset: UInt32
  private let info: UInt8
  private let visibility: UInt8
  private let section: UInt16
  let address: UInt64

  init(_ table: [UInt8], at offset: Int = 0) {
    nameOffset = FileReader.number(table, at: offset)
    info = table[offset + 4]
    visibility = table[offset + 5] & 3
    section = FileReader.number(table, at: offset + 6)
    address = FileReader.number(table, at: offset + 8)
  }

  /// Whether the symbol is defined here, as an address rather than an absolute number.
  var isDefined: Bool { section != 0 && section != 0xFFF1 }
  var isUnique: Bool { info >> 4 == 10 }
  var isThreadLocal: Bool { info & 15 == 6 }

  /// Whether the symbol is global, and defined by another library.
  var isNeeded: Bool { section == 0 && info >> 4 == 1 }
  /// Whether the symbol is defined here, global or weak, and not hidden.
  var isExported: Bool { section != 0 && [1, 2, 10].contains(info >> 4) && (visibility == 0 || visibility == 3) }
  var isFunction: Bool { info & 15 == 2 }
  /// Whether the symbol is a resolver, which the loader calls for the address of the actual function: the C library
  /// selects strlen() for the processor in this way.
  var isIndirectFunction: Bool { info & 15 == 10 }

  var kindName: String {
    switch info & 15 {
    case 1: "data"
    case 6: "thread-local data"
    case 10: "an indirect function"
    default: "something that is not a function"
    }
  }
}
