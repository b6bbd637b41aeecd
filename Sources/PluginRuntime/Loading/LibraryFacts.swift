/// The facts that the verifier read from a shared library's file. The file is not mapped, and none of its code runs.
public struct LibraryFacts: Sendable {
  /// A loadable segment (PT_LOAD).
  public struct Segment: Sendable {
    /// The address, counted from the library's beginning.
    public let address: UInt64
    /// The size in memory.
    public let size: UInt64
    /// The number of its bytes that are read from the file.
    public let sizeInFile: UInt64
    /// "r-x", as the kernel writes it.
    public let access: String
  }

  /// The absolute path of the file, symbolic links resolved.
  public let path: String
  /// The size of the file in bytes.
  public let size: Int64
  /// The machine that it was built for.
  public let machine: String
  /// The name by which libraries need it (DT_SONAME).
  public let name: String?
  /// The names of the libraries that it needs.
  public let needed: [String]
  /// The folders that the loader searches first for the needed libraries (DT_RUNPATH or DT_RPATH).
  public let searchPath: String?
  /// The loadable segments.
  public let segments: [Segment]
  /// The number of entries of the symbol table that a hash table or a relocation refers to.
  public let symbols: Int
  /// The number of relocations.
  public let relocations: Int
  /// The number of functions that run when it is loaded.
  public let initialisers: Int
  /// The size of its variables that each thread has.
  public let threadLocal: UInt64
  /// Whether the library exports promise_plugin_entry().
  public let isPlugin: Bool
  /// The reasons why its code stays mapped until the process ends, once it was loaded.
  public let pinReasons: [String]

  /// Returns the path of a library, and the paths of the libraries that it needs, directly and indirectly. Libraries
  /// that are not found are left out. A damaged file, or one of another kind, needs none. Fails if they take too much
  /// work to verify.
  public static func closure(of path: String) throws(PluginError) -> [String] {
    try LibraryDependencies.closure(of: path, outside: [])
  }

  /// Returns the path of a library that the system's loader takes for a name, or a path; `nil` if there is none.
  public static func path(of name: String) -> String? { try? LibraryFinder.path(of: name) }

  /// Verifies the file of a plugin or another shared library, given by its path.
  public init(of path: String) throws(PluginError) {
    let file = try PluginFile(opening: path)
    let tables = try ELFVerifier.verify(file, exporting: [])
    let dynamic = tables.dynamic
    self.path = file.path
    size = file.identity.size
    machine = ELF.name(ofMachine: ELF.hostMachine, is64Bit: true, isLittleEndian: true)
    name = dynamic.texts(ELFTag.name).first
    needed = dynamic.texts(ELFTag.needed)
    searchPath = dynamic.texts(ELFTag.path).first ?? dynamic.texts(ELFTag.pathOld).first
    segments = dynamic.image.loads.map {
      Segment(address: $0.address, size: $0.memorySize, sizeInFile: $0.fileSize, access: $0.access)
    }
    symbols = tables.symbolCount
    relocations = tables.relocationCount
    initialisers = Int((dynamic[ELFTag.initialisersSize] ?? 0) / 8) + (dynamic[ELFTag.initialiser] == nil ? 0 : 1)
    threadLocal = dynamic.image.segment(ELFSegment.threadLocal)?.memorySize ?? 0
    isPlugin = tables.symbol(named: PluginEntry.name)?.isFunction ?? false
    pinReasons = Self.pinReasons(tables)
  }

  private static func pinReasons(_ tables: ELFTableCheck) -> [String] {
    var reasons = ["threads, callbacks and promises may lead into its code: the host unmaps no plugin"]
    if tables.uniqueSymbolCount > 0 {
      reasons.append(
        "\(tables.uniqueSymbolCount) symbols are one with those of other libraries in the process (STB_GNU_UNIQUE)")
    }
    if tables.hasThreadLocalDestructors { reasons.append("threads call destructors of its thread-local variables") }
    if (tables.dynamic[ELFTag.flags1] ?? 0) & ELFTag.isNeverUnloaded != 0 {
      reasons.append("it asks the system's loader for it (DF_1_NODELETE)")
    }
    return reasons
  }
}
