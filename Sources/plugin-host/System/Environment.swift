import CPluginEdge
import Glibc
import PluginRuntime

/// The variables of the environment.
enum Environment {
  /// The value of `name`, a `RawText`; nil if it is not set or empty, or if the process has more rights than the user
  /// who set it (setuid, setgid, capabilities of the program's file).
  static subscript(name: String) -> String? {
    guard !plugin_process_is_privileged(), let value = getenv(name), value.pointee != 0 else { return nil }
    return RawText.text(UnsafeRawBufferPointer(start: value, count: strlen(value)))
  }

  /// Returns the path of a file of this program: in the folder that the variable names, or else in `folder` below HOME;
  /// `nil` if neither is set. Ignores a relative path in the variable, as the XDG Base Directory Specification
  /// requires.
  static func file(_ name: String, _ variable: String, or folder: String) -> String? {
    let named = self[variable].flatMap { $0.isAbsolutePath ? $0 : nil }
    let folder = named ?? self["HOME"].map { Directory.join($0, folder) }
    return folder.map { Directory.join($0, "plugin-host/\(name)") }
  }
}
