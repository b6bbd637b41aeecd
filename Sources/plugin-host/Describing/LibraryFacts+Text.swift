import PluginRuntime

/// The facts about a shared library's file, as text and JSON.
extension LibraryFacts {
  /// The facts as text for people.
  var page: String {
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
    return lines.map { $0 + "\n" }.joined()
  }

  /// The facts as JSON for programs.
  var json: JSON {
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
    ])
  }
}
