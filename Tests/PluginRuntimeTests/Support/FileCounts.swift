import CPluginEdge
import Foundation
import Glibc
import PluginRuntime

/// The descriptors of this process, by the files that they are open for.
enum FileCounts {
  /// Returns the number of descriptors for the file of an open descriptor: 0 if it is not open.
  static func count(of file: FileIdentity) -> Int {
    descriptors.count { FileIdentity($0) == file }
  }

  /// Returns the number of descriptors for the ends of a pipe.
  static func pipes(_ inode: UInt64) -> Int {
    descriptors.count { descriptor in
      var status = stat()
      return fstat(descriptor, &status) == 0 && status.st_mode & S_IFMT == S_IFIFO && UInt64(status.st_ino) == inode
    }
  }

  private static var descriptors: [Int32] {
    ((try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")) ?? []).compactMap { Int32($0) }
  }
}

/// A file, a pipe or a socket.
struct FileIdentity: Hashable {
  let device: UInt64
  let inode: UInt64

  init?(_ descriptor: Int32) {
    var status = stat()
    guard fstat(descriptor, &status) == 0 else { return nil }
    (device, inode) = (UInt64(status.st_dev), UInt64(status.st_ino))
  }
}

extension OpenFile {
  /// Makes a file in memory with these bytes.
  static func holding(_ text: String) throws -> OpenFile {
    try OpenFile(taking: plugin_open_file_new(text, text.utf8.count))
  }

  var identity: FileIdentity { FileIdentity(descriptor)! }

  /// The bytes of the file from its position.
  var text: String {
    var bytes = [UInt8](repeating: 0, count: 1 << 12)
    let count = read(descriptor, &bytes, bytes.count)
    return String(decoding: bytes.prefix(max(count, 0)), as: UTF8.self)
  }
}

extension PluginValue {
  /// The open file that the value is.
  var file: OpenFile? { if case .file(let file) = self { file } else { nil } }
}
