import CPluginEdge
import Glibc

/// A sealed copy of the file of an isolated plugin, which all workers of a plugin generation load. Workers that replace
/// ended ones load it too, even after the file has changed.
final class KeptFile: Sendable {
  let descriptor: Int32

  /// Copies the file of a resolved source; `nil` for files that are not mapped from copies
  /// (`LibraryDependencyOrder.Member`).
  init?(of source: PluginSource) throws(PluginError) {
    guard let path = source.path else { return nil }
    let file = try PluginFile(opening: path)
    guard !file.isOfSystem, DescriptorPath(of: file.descriptor).flatMap({ plugin_library_find($0.text) }) == nil else {
      return nil
    }
    try ELFVerifier.verifyKind(file)
    try file.seal()
    descriptor = fcntl(file.descriptor, F_DUPFD_CLOEXEC, 0)
    guard descriptor >= 0 else {
      throw PluginError(.notReadable, path, "cannot be kept open: \(SystemLimit.text(errno))")
    }
  }

  deinit { close(descriptor) }
}
