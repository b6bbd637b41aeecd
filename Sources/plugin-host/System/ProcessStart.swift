import Glibc

/// The folder and the mask of new files' modes with which the process was started. Plugins in the process may change
/// both, and the command's own files do not follow.
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

  /// Notes both, before any code of a plugin runs.
  static func note() { _ = (folder, mask) }
}
