import PluginRuntime

extension Clang {
  /// Returns the names of the macros without parameters that files of a header define, in their order. Leaves out
  /// reserved names, and macros that cannot be integers.
  func macros(of path: String, where isOwn: (_ file: String) -> Bool) throws(Failure) -> [String] {
    let result = try run(["-x", "c", "-E", "-dD", "-w"] + flags + ["--", path], isQuiet: true)
    var names: [String] = []
    var isInside = false
    for line in result.output.split(separator: UInt8(ascii: "\n")) where line.first == UInt8(ascii: "#") {
      let words = String(decoding: line, as: UTF8.self)
      if words.hasPrefix("# ") {
        isInside = Self.file(ofMarker: words).map(isOwn) ?? isInside
      } else if isInside, let name = Self.name(ofDefinition: words) {
        names.append(name)
      } else if words.hasPrefix("#undef ") {
        names.removeAll { $0 == words.dropFirst(7) }
      }
    }
    var seen: Set<String> = []
    return names.filter { seen.insert($0).inserted }
  }

  /// Evaluates C expressions after `#include` of a header. Returns their values by expression, without expressions that
  /// are not integer constants: clang continues after an error.
  func values(of expressions: [String], behind path: String) throws(Failure) -> [String: PluginValue] {
    // The name stands between quotes in `#include`, where C has no escapes.
    guard !expressions.isEmpty,
      !path.unicodeScalars.contains(where: { "\"\\".unicodeScalars.contains($0) || $0.isControl })
    else { return [:] }
    let lines = expressions.enumerated().map { "enum { \(Self.mark)\($0) = (\($1)) };\n" }
    let file = try TemporaryFile("#include \"\(path)\"\n" + lines.joined())
    defer { file.remove() }
    let options = ["-x", "c", "-fsyntax-only", "-w", "-ferror-limit=0", "-Xclang", "-ast-dump=json"]
    let filter = ["-Xclang", "-ast-dump-filter=\(Self.mark)"]
    let output = try run(options + filter + flags + ["--", file.path], isQuiet: true).output
    var values: [String: PluginValue] = [:]
    for node in (try? HeaderNodeReader.readAll(output)) ?? [] {
      guard let name = node.name, name.hasPrefix(Self.mark), let index = Int(name.dropFirst(Self.mark.count)),
        expressions.indices.contains(index), let value = Self.value(of: node)
      else { continue }
      values[expressions[index]] = value
    }
    return values
  }

  private static let mark = "plugin_host_value_"

  /// Returns the first value in the tree of a constant expression, whose root may be a conversion.
  private static func value(of node: HeaderNode) -> PluginValue? {
    for part in node.inner {
      let value = Int64(part.value).map { PluginValue.int($0) } ?? UInt64(part.value).map { .uint($0) }
      if let value = value ?? self.value(of: part) { return value }
    }
    return nil
  }

  /// Returns the file that a line marker names: `zlib.h` for `# 12 "zlib.h" 2`.
  private static func file(ofMarker line: String) -> String? {
    guard let start = line.firstIndex(of: "\""), let end = line.lastIndex(of: "\""), start < end else { return nil }
    return String(line[line.index(after: start)..<end]).replacing("\\\\", with: "\\").replacing("\\\"", with: "\"")
  }

  /// Returns the name in `#define NAME (OTHER | 0x10)`, if the definition can be an integer and its parentheses match.
  private static func name(ofDefinition line: String) -> String? {
    guard line.hasPrefix("#define ") else { return nil }
    let parts = line.dropFirst(8).split(separator: " ", maxSplits: 1)
    guard parts.count == 2, let name = parts.first, name.first != "_", !name.contains("(") else { return nil }
    var depth = 0
    for character in parts[1] {
      guard character.isASCII, character.isLetter || character.isNumber || "_ +-*/%&|^~!<>=?:()'".contains(character)
      else { return nil }
      depth += character == "(" ? 1 : character == ")" ? -1 : 0
      guard depth >= 0 else { return nil }
    }
    return depth == 0 ? String(name) : nil
  }
}
