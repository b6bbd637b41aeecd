import Glibc
import PluginRuntime

/// A file with the SHA-256 of its content, by which rules of trust list it.
struct HashedFile {
  let path: String
  /// `nil` for a file that cannot be read, is not regular, or is larger than files that are loaded.
  let hash: ContentHash?

  init(_ path: String) {
    self.path = path
    var status = stat()
    let isLoadable = stat(RawText.cString(path), &status) == 0 && status.st_size <= PluginFile.longest
    hash = isLoadable ? try? ContentHash(path: path) : nil
  }
}

/// The facts about a shared library's file, as text and JSON.
extension LibraryFacts {
  /// Returns the facts, and the files that are mapped with the library, as text for people.
  func page(_ files: [HashedFile]) -> String {
    var lines = [
      path.displayLine, "",
      "size          \(size) bytes",
      "machine       \(machine)",
      "name          \(name?.displayLine ?? "none")",
      "needs         \(needed.isEmpty ? "nothing" : needed.map(\.displayLine).joined(separator: ", "))",
    ]
    if let searchPath { lines.append("looks in      \(searchPath.displayLine)") }
    lines += [
      "symbols       \(symbols)",
      "relocations   \(relocations)",
      "initialisers  \(initialisers)",
      "thread-local  \(threadLocal) bytes",
      "plugin        \(isPlugin ? "yes" : "no: it does not export promise_plugin_entry()")",
      "",
    ]
    lines += pinReasons.map { "stays mapped  \($0)" } + [""]
    lines += segments.map { segment in
      let range = "0x" + String(segment.address, radix: 16)
      return "segment       \(segment.access)  \(range), \(segment.size) bytes, \(segment.sizeInFile) from the file"
    }
    lines += [""] + files.map { "sha256        \($0.hash?.description ?? "not read")  \($0.path.displayLine)" }
    return lines.map { $0 + "\n" }.joined()
  }

  /// Returns the facts, and the files that are mapped with the library, as JSON for programs.
  func json(_ files: [HashedFile]) -> JSON {
    .object([
      ("path", .string(path)), ("size", .number(UInt64(size))), ("machine", .string(machine)),
      ("name", name.map(JSON.string) ?? .null), ("needed", .array(needed.map(JSON.string))),
      ("searchPath", searchPath.map(JSON.string) ?? .null), ("symbols", .number(UInt64(symbols))),
      ("relocations", .number(UInt64(relocations))), ("initialisers", .number(UInt64(initialisers))),
      ("threadLocal", .number(threadLocal)), ("plugin", .bool(isPlugin)),
      ("residence", .array(pinReasons.map(JSON.string))),
      (
        "segments",
        .array(
          segments.map {
            .object([
              ("address", .number($0.address)), ("size", .number($0.size)), ("sizeInFile", .number($0.sizeInFile)),
              ("access", .string($0.access)),
            ])
          })
      ),
      (
        "files",
        .array(
          files.map {
            .object([("path", .string($0.path)), ("sha256", $0.hash.map { .string($0.description) } ?? .null)])
          })
      ),
    ])
  }
}
