import Foundation

/// A pipeline file in a folder of its own.
struct PipelineFile: ~Copyable {
  let folder: URL
  var path: String { folder.appending(path: "p.yaml").path }

  init(_ text: String) throws {
    folder = FileManager.default.temporaryDirectory.appending(path: "pipeline-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    try Data(text.utf8).write(to: folder.appending(path: "p.yaml"))
  }

  deinit { try? FileManager.default.removeItem(at: folder) }
}
