/// The work that is left for verifying a library and those that it needs.
///
/// A small file can ask for any amount: it claims tables of terabytes, which a sparse file has; it names the same
/// memory in many tables, or the same list in many lists; and names are looked for in each folder of a path. So each
/// read, search and piece of memory whose number or size is in the file is counted here. Beyond the limit the
/// verification stops with `error`.
///
/// Not thread-safe: it belongs to one verification.
final class VerificationBudget {
  /// A quarter of the memory, at most 512 MiB. libLLVM, the largest of 2,000 libraries of a system, takes 14 MiB.
  static let limit = min(UInt64(PluginFile.longest), 512 << 20)
  /// The cost of a system call: the memory that could be read in its time.
  static let call: UInt64 = 1 << 10

  private var left: UInt64
  private(set) var isSpent = false
  /// The memory that is left for sealed copies of the files. Those of large libraries are larger than their tables.
  private var copies: Int64

  /// The folders of the system, which are read once, and only if they are needed.
  private(set) lazy var foldersOfSystem = LibraryFinder.foldersOfSystem

  init(_ limit: UInt64 = VerificationBudget.limit, copies: Int64 = PluginFile.longest) {
    left = limit
    self.copies = copies
  }

  /// Counts work, as the number of bytes that are read or kept, before it is done. Returns false if it is too much;
  /// then every later call does, too.
  func spend(_ cost: UInt64) -> Bool {
    isSpent = isSpent || cost > left
    if !isSpent { left -= cost }
    return !isSpent
  }

  /// Counts the memory of a sealed copy before it is made.
  func copy(_ file: PluginFile) throws(PluginError) {
    guard file.identity.size <= copies else {
      isSpent = true
      throw PluginError(
        .notReadable, file.path,
        "has \(file.identity.size) bytes, expected at most \(copies): copies of a plugin and of the libraries that it "
          + "needs take at most a quarter of the memory")
    }
    copies -= file.identity.size
  }

  /// The error of a file that takes too much work.
  func error(_ path: String) -> PluginError {
    PluginError(
      .damaged, path,
      "takes too much work to verify: its tables and lists, or the libraries that it needs and the folders in which "
        + "they are looked for, are too large or too many")
  }
}
