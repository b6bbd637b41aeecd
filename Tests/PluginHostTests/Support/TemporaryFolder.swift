import Foundation

/// A new folder, which is removed with its contents at the end.
struct TemporaryFolder: ~Copyable {
  private let place = TemporaryPath()

  init() throws { try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true) }

  var url: URL { place.url }

  /// Returns the path of a file in the folder.
  func path(_ name: String) -> String { url.appending(path: name).path }

  func write(_ text: String, to name: String) throws { try Data(text.utf8).write(to: url.appending(path: name)) }

  func text(_ name: String) throws -> String {
    String(decoding: try Data(contentsOf: url.appending(path: name)), as: UTF8.self)
  }

  /// Returns the names of the folder's files, sorted.
  func names() throws -> [String] { try FileManager.default.contentsOfDirectory(atPath: url.path).sorted() }
}
