// Compares paths by bytes, as the kernel does. A mark behind a slash makes one character with it, and two names of
// different files can be equal strings.
extension String {
  /// Whether the path begins at the root.
  package var isAbsolutePath: Bool { utf8.first == slash }

  /// Whether this is a path, rather than the name of a file that is looked for.
  package var isPath: Bool { utf8.contains(slash) }

  /// Whether the absolute path leads to a folder, or to a file below it.
  package func isPath(in folder: String) -> Bool {
    folder == "/" || utf8.elementsEqual(folder.utf8) || isPath(below: folder)
  }

  /// Whether the absolute path leads to a file below a folder.
  package func isPath(below folder: String) -> Bool { utf8.starts(with: "\(folder)/".utf8) }
}

private let slash = UInt8(ascii: "/")
