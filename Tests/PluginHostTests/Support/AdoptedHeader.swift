import Foundation
import Synchronization
import Testing

/// A header that a test writes, the draft of `plugin-host adopt` for it, and calls by that draft.
struct AdoptedHeader {
  let draft: HostProcess.Ending
  /// The path of the draft.
  let file: String

  /// The drafts of this run: tests with several cases use one draft.
  private static let drafts = Mutex<[[String]: AdoptedHeader]>([:])

  /// Returns the draft of a header for a library, which is compiled if there is a source. Tests do not change its file.
  static func of(
    _ header: String, source: String? = nil, library: String = "libm.so.6", compiling flags: [String] = [],
    _ options: [String] = []
  ) throws -> AdoptedHeader {
    let key = [header, source ?? "", library, "\(flags)", "\(options)"]
    return try drafts.withLock { drafts in
      if let made = drafts[key] { return made }
      let made = try draft(header, source: source, library: library, compiling: flags, options)
      drafts[key] = made
      return made
    }
  }

  private static func draft(
    _ header: String, source: String?, library: String, compiling flags: [String], _ options: [String]
  ) throws -> AdoptedHeader {
    // The folder of the fixtures is removed at the end of the run.
    let folder = FixturePlugins.folder.appending(path: "adopt-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    try Data(header.utf8).write(to: folder.appending(path: "a.h"))
    var library = library
    if let source {
      library = folder.appending(path: "liba.so").path
      try Data(source.utf8).write(to: folder.appending(path: "a.c"))
      try Package.run(
        "cc",
        ["-std=gnu11", "-w", "-O1", "-shared", "-fPIC", "-o", library] + flags + [folder.appending(path: "a.c").path])
    }
    let file = folder.appending(path: "a.adopt.yaml").path
    var draft = try HostProcess.run(
      ["adopt", "--library", library, "-o", file] + options + [folder.appending(path: "a.h").path])
    draft.output = FileManager.default.contents(atPath: file) ?? Data()
    return AdoptedHeader(draft: draft, file: file)
  }

  /// Returns the drafted signature, or the reason why there is none.
  func signature(_ name: String) -> String {
    let lines = draft.text.split(separator: "\n")
    if let line = lines.first(where: { $0.hasPrefix("  - signature: '\(name)(") }) {
      return String(line.dropFirst("  - signature: '".count).dropLast())
    }
    return lines.first { $0.hasPrefix("#   \(name): ") }.map(String.init) ?? "\(name) is not there: \(draft.errors)"
  }

  /// Returns the points to check of a function that was drafted.
  func checks(_ name: String) -> [Substring] {
    let lines = draft.text.split(separator: "\n").prefix { !$0.hasPrefix("  - signature: '\(name)(") }
    return lines.reversed().prefix { $0.hasPrefix("  # check: ") }.reversed()
  }

  /// The standard output of a call; its errors if it fails.
  func call(_ words: String...) throws -> String {
    let ending = try HostProcess.run(["call", "--raw", file] + words)
    return ending.status == 0 ? ending.text : ending.errors
  }

  /// Returns the standard output of a script for `plugin-host shell`, or its errors if it fails.
  func shell(_ lines: String...) throws -> String { try shell(lines) }

  func shell(_ lines: [String]) throws -> String {
    let script = file + ".sh"
    try Data(lines.map { $0.replacing("LIB", with: file) + "\n" }.joined().utf8).write(to: URL(filePath: script))
    let ending = try HostProcess.run(["shell", script])
    return ending.status == 0 ? ending.text : ending.errors
  }
}
