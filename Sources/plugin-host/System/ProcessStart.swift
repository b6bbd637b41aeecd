import Glibc

/// The working folder and the file mode mask with which the process was started. Plugins in the process may change
/// both, which must not affect the files of the command.
enum ProcessStart {
  /// The folder from which relative paths start; nil if its path is not known.
  static let folder: String? = {
    guard let folder = getcwd(nil, 0) else { return nil }
    defer { free(folder) }
    return RawText.text(UnsafeRawBufferPointer(start: folder, count: strlen(folder)))
  }()

  static let mask: mode_t = {
    let mask = umask(0)
    umask(mask)
    return mask
  }()

  /// Notes the folder and the mask. Call before any code of a plugin runs.
  static func note() { _ = (folder, mask) }
}
