import Foundation
import Glibc
import Testing

@testable import plugin_host

/// Files of other users can only be made by root.
@Suite(.enabled(if: geteuid() == 0, "only root can give files to other users"))
struct FileTrustTests {
  /// A user that no system has.
  private static let stranger: uid_t = 54_321
  private let trust = FileTrust(acceptsUnsafeFiles: false)

  @Test("files of root in folders of root are accepted, also below /tmp, and by links")
  func safe() throws {
    let files = try Files()
    try trust.check(files.plugin)
    try FileManager.default.createSymbolicLink(atPath: files.folder + "/link", withDestinationPath: "inner/x.so")
    try trust.check(files.folder + "/link")
    try trust.check(files.folder + "/./inner/../inner/x.so")
    try trust.check(files.folder + "/none.so")
    try trust.check("/usr/bin/env")
    files.mode("/inner", 0o1777)
    try trust.check(files.plugin)
  }

  @Test(
    "each unsafe part of a path is named, with the remedy",
    arguments: [
      ("/inner/x.so", stranger, 0o644, "belongs to 54321, who can change it; expected root: change its owner by chown"),
      ("/inner", stranger, 0o755, "belongs to 54321, who can change it; expected root: change its owner by chown"),
      ("/inner/x.so", 0, 0o666, "every user can write to"), ("/inner/x.so", 0, 0o1666, "every user can write to"),
      ("/inner", 0, 0o777, "every user can write to"), ("", 0, 0o757, "by chmod o-w"),
      ("", stranger, 0o1777, "belongs to 54321"),
    ] as [(String, uid_t, mode_t, String)])
  func unsafeParts(_ part: String, _ owner: uid_t, _ mode: mode_t, _ message: String) throws {
    let files = try Files()
    files.mode(part, mode)
    files.owner(part, owner)
    let failure = #expect(throws: Failure.self) { try trust.check(files.plugin) }
    let text = failure?.lines.joined() ?? ""
    #expect(text.contains(message) && text.contains(files.folder + part), "\(text)")
    #expect(text.hasPrefix("plugin-host: \(files.plugin): ") && text.hasSuffix(", or give --accept-unsafe-files"))
    #expect(failure?.status == .notLoaded)
    try FileTrust(acceptsUnsafeFiles: true).check(files.plugin)
  }

  @Test("a path is followed as the system follows it: `..` leads up, and an absolute link to the root")
  func followed() throws {
    let files = try Files()
    files.mode("/inner/x.so", 0o666)
    try FileManager.default.createSymbolicLink(atPath: files.folder + "/link", withDestinationPath: files.plugin)
    for path in ["/link", "/inner/../inner/x.so", "/inner/.././inner/x.so"] {
      let failure = #expect(throws: Failure.self) { try trust.check(files.folder + path) }
      #expect(failure?.lines.joined().contains("every user can write to \(files.plugin)") == true, "\(path)")
    }
  }

  @Test("where the system has rules of trust, no caller accepts unsafe files")
  func rulesOfSystem() throws {
    let files = try Files()
    files.mode("/inner/x.so", 0o666)
    var trust = FileTrust(acceptsUnsafeFiles: true)
    trust.rulesOfSystem = files.folder + "/trust.conf"
    try trust.check(files.plugin)
    try Data("policy any\n".utf8).write(to: URL(filePath: trust.rulesOfSystem))
    let failure = #expect(throws: Failure.self) { try trust.check(files.plugin) }
    #expect(
      failure?.lines.joined().hasSuffix(
        "chmod o-w; with \(trust.rulesOfSystem) on this system, --accept-unsafe-files has no effect") == true)
  }

  @Test("a group that can write is named, unless it is the owner's private one")
  func groups() throws {
    let files = try Files()
    files.mode("/inner/x.so", 0o664)
    chown(files.plugin, 0, Self.stranger)
    let failure = #expect(throws: Failure.self) { try trust.check(files.plugin) }
    #expect(
      failure?.lines.joined().contains("the group 54321 can write to \(files.plugin): take the right away") == true)
    #expect(!User.isPrivate(group: Self.stranger, of: 0))
  }

  @Test("a link of another user is refused even if it leads to a safe file, also as a folder of the path")
  func links() throws {
    let files = try Files()
    let link = files.folder + "/link"
    try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: files.folder + "/inner")
    lchown(link, Self.stranger, 0)
    let failure = #expect(throws: Failure.self) { try trust.check(link + "/x.so") }
    #expect(failure?.lines.joined().contains("\(link) belongs to 54321") == true)
    // Loading reports links that lead in circles.
    try FileManager.default.createSymbolicLink(atPath: files.folder + "/round", withDestinationPath: "round")
    try trust.check(files.folder + "/round")
  }

  /// A folder with `inner/x.so`, removed at the end.
  private final class Files {
    let folder = "/tmp/file-trust-\(UUID().uuidString)"
    var plugin: String { folder + "/inner/x.so" }

    init() throws {
      try FileManager.default.createDirectory(atPath: folder + "/inner", withIntermediateDirectories: true)
      try Data().write(to: URL(filePath: plugin))
      for part in ["", "/inner"] { mode(part, 0o755) }
      mode("/inner/x.so", 0o644)
    }

    deinit { try? FileManager.default.removeItem(atPath: folder) }

    func mode(_ part: String, _ mode: mode_t) { chmod(folder + part, mode) }
    func owner(_ part: String, _ owner: uid_t) { chown(folder + part, owner, 0) }
  }
}
