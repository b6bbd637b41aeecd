import Foundation

/// A path at which nothing is at first. A file or a folder that is made there is removed at the end.
struct TemporaryPath: ~Copyable {
  let url: URL

  init(_ suffix: String = "") {
    url = FileManager.default.temporaryDirectory.appending(path: "plugin-host-tests-\(UUID().uuidString)\(suffix)")
  }

  deinit { try? FileManager.default.removeItem(at: url) }

  var path: String { url.path }
}
