import CYaml

/// The error that ends the parse of a YAML text.
struct YAMLMistake: Error {
  var mistake: Mistake

  static var outOfMemory: YAMLMistake {
    YAMLMistake(Location(line: 1, column: 1), "out of memory")
  }

  init(_ location: Location, _ problem: String) {
    mistake = Mistake(location: location, message: "not YAML: \(problem)")
  }

  init(repeated name: String, at location: Location, first line: Int) {
    mistake = Mistake(
      location: location, message: "\"\(name)\" occurs more than once in this mapping; the first is in line \(line)")
  }

  init(repeated: YAMLExtent, by name: String, at location: Location) {
    mistake = Mistake(
      location: location,
      message: "with \"*\(name)\", the aliases of this file repeat \(repeated), expected at most \(YAMLExtent.limits)")
  }

  /// The mistake of a node that does not suit its tag.
  init(tag: YAMLTagMistake, of node: YAMLNode) {
    mistake = Mistake(location: node.location, message: "the tag !!\(tag.name) does not suit this: it is \(node.kind)")
  }

  /// The error that the parser stopped at.
  init(_ parser: yaml_parser_t, in file: SourceFile) {
    guard parser.error != YAML_MEMORY_ERROR, let problem = parser.problem else {
      self = .outOfMemory
      return
    }
    let text = String(cString: problem)
    guard parser.error != YAML_READER_ERROR else {
      let value = parser.problem_value
      let code = value > 0 ? " (U+" + String(value, radix: 16, uppercase: true) + ")" : ""
      self.init(Self.location(ofByte: parser.problem_offset, in: file.text), text + code)
      return
    }
    var sentence = text
    if let context = parser.context {
      sentence += " (\(String(cString: context)) that begins in line \(parser.context_mark.line + 1))"
    }
    let location = Location(parser.problem_mark)
    if text.hasPrefix("found character that"), let scalar = file.scalar(at: location) {
      let name = scalar == "\t" ? "a tab, which" : "\"\(scalar)\", which"
      let hint = scalar == "\t" ? "; lines are indented with spaces" : "; a text that begins with it stands in quotes"
      sentence = sentence.replacing("character that", with: name) + hint
    }
    if text.hasPrefix("mapping values are not allowed") { sentence += "; a text with \": \" in it stands in quotes" }
    // In braces and brackets of YAML, a plain scalar ends before a brace.
    let line = file.line(location.line)?.unicodeScalars.dropFirst(max(0, location.column - 2))
    if line?.starts(with: "${".unicodeScalars) ?? false {
      sentence += "; a text with \"${...}\" must stand in quotes within braces and brackets"
    }
    self.init(location, sentence)
  }

  private static func location(ofByte offset: Int, in text: String) -> Location {
    let before = String(decoding: text.utf8.prefix(offset), as: UTF8.self)
    let lines = before.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
    return Location(line: lines.count, column: (lines.last?.unicodeScalars.count ?? 0) + 1)
  }
}
