import Foundation
import Glibc
import Testing

@testable import PluginRuntime

@Suite("Isolation: the entries of watched paths")
struct PathEntriesTests {
  /// A folder whose own path leads over no link.
  private let folder: String

  init() throws {
    let path = Fixture.file("x")
    let resolved = try #require(realpath((path as NSString).deletingLastPathComponent, nil))
    defer { free(resolved) }
    folder = String(cString: resolved)
  }

  /// Returns the names of the entries of a path in the folder, without those of the folder's own path.
  private func names(_ path: String) -> [String] {
    let own = PathEntries.of(folder).count
    return PathEntries.of("\(folder)/\(path)").dropFirst(own).map(\.name)
  }

  @Test("links in a circle end where the kernel ends them")
  func circle() throws {
    try #require(symlink("b", "\(folder)/a") == 0 && symlink("a", "\(folder)/b") == 0)
    // 40 links are followed.
    #expect(names("a") == (0...40).map { $0 % 2 == 0 ? "a" : "b" })
  }

  @Test("each link and folder on a path is an entry, relative targets and '..' too, up to the first that is missing")
  func links() throws {
    try #require(mkdir("\(folder)/d", 0o755) == 0 && mkdir("\(folder)/d/e", 0o755) == 0)
    try #require(symlink("../f", "\(folder)/d/link") == 0 && symlink("\(folder)/d", "\(folder)/whole") == 0)
    #expect(names("d/link") == ["d", "link", "f"])
    #expect(names("whole/e/none/x").suffix(3) == ["d", "e", "none"])
    #expect(names("d/./e/../e") == ["d", "e", "e"])
  }
}
