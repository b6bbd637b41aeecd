/// The loader's action for the type of a relocation.
struct ELFRelocationType {
  enum Role {
    case nothing
    /// Writes the address of a symbol.
    case symbol
    /// Writes the address of a symbol that code calls or reads through it; it must be present.
    case slot
    /// Writes an address within the library.
    case relative
    /// Calls a function of the library, and writes its result.
    case indirect
    /// Writes the location of a thread-local variable.
    case threadLocal
  }

  let role: Role
  /// The number of bytes that it writes.
  let size: UInt64

  private init(_ role: Role, _ size: UInt64 = 8) {
    self.role = role
    self.size = size
  }

  /// Returns the action; `nil` for types that the loader does not know, or that only programs have.
  static func named(_ type: UInt32) -> ELFRelocationType? {
    #if arch(x86_64)
    switch type {
    case 0: .init(.nothing, 0)
    // 64, PC64, SIZE64.
    case 1, 24, 33: .init(.symbol)
    // PC32, 32, SIZE32.
    case 2, 10, 32: .init(.symbol, 4)
    case 6, 7: .init(.slot)
    case 8, 38: .init(.relative)
    case 16, 17, 18: .init(.threadLocal)
    case 36: .init(.threadLocal, 16)
    case 37: .init(.indirect)
    default: nil
    }
    #elseif arch(arm64)
    switch type {
    case 0, 256: .init(.nothing, 0)
    case 257: .init(.symbol)
    case 1025, 1026: .init(.slot)
    case 1027: .init(.relative)
    case 1028, 1029, 1030: .init(.threadLocal)
    case 1031: .init(.threadLocal, 16)
    case 1032: .init(.indirect)
    default: nil
    }
    #else
    switch type {
    case 0: .init(.nothing, 0)
    case 2: .init(.symbol)
    case 5: .init(.slot)
    case 3: .init(.relative)
    case 7, 9, 11: .init(.threadLocal)
    case 58: .init(.indirect)
    default: nil
    }
    #endif
  }
}
