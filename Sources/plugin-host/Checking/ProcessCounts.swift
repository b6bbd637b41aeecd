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

  private static func name(ofThread task: String) -> String {
    String(decoding: (try? FileBytes.read(path: "/proc/self/task/\(task)/comm")) ?? [], as: UTF8.self)
  }

  private static func entries(_ path: String) -> [String] { (try? Directory.names(path: path)) ?? [] }
}
