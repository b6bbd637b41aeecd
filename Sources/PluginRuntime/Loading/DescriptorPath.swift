import Glibc
import Synchronization

/// A path by which the system's loader opens a file that is already open, even if its own path now leads to another
/// file.
///
/// The loader reuses a library that it has under the same name, so no path is used twice, although descriptors are
/// reused: slashes and dots, which the kernel ignores, number the paths.
struct DescriptorPath {
  let text: String

  private static let count = Atomic<UInt64>(0)

  /// The path of a descriptor; `nil` where /proc is not mounted.
  init?(of descriptor: Int32) {
    var buffer = [CChar](repeating: 0, count: 32)
    // The id of this process in the namespace of /proc, which may differ from getpid(): a debugger opens the path too.
    let length = readlink("/proc/self", &buffer, buffer.count)
    guard length > 0, length < buffer.count else { return nil }
    let process = String(decoding: buffer.prefix(length).map(UInt8.init(bitPattern:)), as: UTF8.self)
    let number = Self.count.wrappingAdd(1, ordering: .relaxed).newValue
    let mark = String(number, radix: 2).map { $0 == "1" ? "./" : "/" }.joined()
    text = "/proc/\(process)/fd/\(mark)\(descriptor)"
  }
}
