import CPluginEdge
import Glibc

/// The threads and descriptors of this process, and whether it has children.
struct ProcessCounts {
  var threads: Int
  var descriptors: Int
  var hasChildren: Bool

  static var now: ProcessCounts {
    let threads = entries("/proc/self/task").count { task in
      // Threads of the library do not belong to the plugin.
      !name(ofThread: task).hasPrefix("promise-")
    }
    // One descriptor is that of the open folder itself.
    return ProcessCounts(
      threads: threads, descriptors: entries("/proc/self/fd").count - 1, hasChildren: plugin_child_is_left())
  }

  /// Returns the counts that have grown, for display.
  func excess(over before: ProcessCounts) -> [String] {
    let counts = [(threads - before.threads, "thread"), (descriptors - before.descriptors, "descriptor")]
    return counts.filter { $0.0 > 0 }.map { "\($0.0) \($0.1)\($0.0 == 1 ? "" : "s")" }
      + (hasChildren && !before.hasChildren ? ["a process"] : [])
  }

  private static func entries(_ path: String) -> [String] {
    guard let folder = opendir(path) else { return [] }
    defer { closedir(folder) }
    var names: [String] = []
    while let entry = readdir(folder) {
      let name = withUnsafePointer(to: &entry.pointee.d_name) {
        $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
      }
      if name != "." && name != ".." { names.append(name) }
    }
    return names
  }

  private static func name(ofThread task: String) -> String {
    guard let file = fopen("/proc/self/task/\(task)/comm", "re") else { return "" }
    defer { fclose(file) }
    var text = [CChar](repeating: 0, count: 64)
    guard fgets(&text, 64, file) != nil else { return "" }
    return String(decoding: text.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
  }
}
