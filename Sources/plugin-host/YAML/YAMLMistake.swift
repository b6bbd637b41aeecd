import Yams

extension Mistake {
  /// What the YAML library found wrong with the text.
  init(_ error: YamlError, in file: SourceFile) {
    switch error {
    case .scanner(let context, let problem, let mark, _), .parser(let context, let problem, let mark, _),
      .composer(let context, let problem, let mark, _):
      self.init(location: Location(mark), message: Self.sentence(problem, context))
    case .duplicatedKeysInMapping(let names, let context):
      let name = names.first ?? ""
      let first = Location(context.mark)
      let second = Self.repetition(of: name, after: first, in: file)
      let message =
        second == nil
        ? "\"\(name)\" occurs more than once in this mapping"
        : "\"\(name)\" occurs more than once in this mapping; the first is in line \(first.line)"
      self.init(location: second ?? first, message: message)
    case .reader(let problem, let offset, let value, _):
      let place = Self.location(ofCharacter: offset ?? 0, in: file.text)
      let code = value > 0 ? " (U+" + String(value, radix: 16, uppercase: true) + ")" : ""
      self.init(location: place, message: "not YAML: \(problem)\(code)")
    default:
      self.init(location: Location(line: 1, column: 1), message: "not YAML: \(error)")
    }
  }

  private static func sentence(_ problem: String, _ context: YamlError.Context?) -> String {
    guard let context, !context.text.isEmpty else { return "not YAML: \(problem)" }
    return "not YAML: \(problem) (\(context.text) that begins in line \(context.mark.line))"
  }

  /// Where a key stands for the second time. The library tells only where it stands first; in a mapping of lines, each
  /// key stands in the same column, and nothing that belongs to another one does.
  private static func repetition(of name: String, after first: Location, in file: SourceFile) -> Location? {
    let width = first.column - 1
    var number = first.line
    while let line = file.line(number + 1)?.unicodeScalars {
      number += 1
      let indent = line.prefix { $0 == " " }.count
      if indent == line.count || line.dropFirst(indent).first == "#" { continue }
      if indent < width { return nil }
      guard indent == width else { continue }
      let text = Substring(line.dropFirst(indent))
      for key in [name, "\"\(name)\"", "'\(name)'"] where text.hasPrefix(key) {
        if text.dropFirst(key.count).drop(while: { $0 == " " }).first == ":" {
          return Location(line: number, column: first.column)
        }
      }
    }
    return nil
  }

  /// Where the character stands that so many others precede.
  private static func location(ofCharacter offset: Int, in text: String) -> Location {
    let before = text.prefix(offset)
    let lines = before.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
    return Location(line: lines.count, column: (lines.last?.unicodeScalars.count ?? 0) + 1)
  }
}

extension Location {
  /// The library's mark counts both from 1, as we do; where it knows no place, it gives 0.
  init(_ mark: Mark) {
    self.init(line: max(1, mark.line), column: max(1, mark.column))
  }
}
