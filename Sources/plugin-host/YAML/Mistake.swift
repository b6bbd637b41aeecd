/// A mistake at a location in a file.
struct Mistake: Hashable, Sendable {
  var location: Location
  var message: String
}

extension [Mistake] {
  mutating func report(_ location: Location, _ message: String) {
    append(Mistake(location: location, message: message))
  }
}

/// All mistakes in a group of files, as an error.
struct FileMistakes: Error {
  var files: [SourceFile]
  var mistakes: [Mistake]

  /// The place, the message, the line, and a mark under the place of each mistake, in the order of the files.
  var lines: [String] {
    mistakes.sorted { $0.location < $1.location }.flatMap { mistake -> [String] in
      let location = mistake.location
      guard let file = files.first(where: { $0.number == location.file }) ?? files.first else { return [] }
      let message = "\(file.path):\(location.line):\(location.column): error: \(mistake.message)"
      guard let line = file.line(location.line), !line.isEmpty else { return [message.displayLine] }
      return [message.displayLine] + Self.excerpt(line, column: location.column)
    }
  }

  /// Returns the line, truncated if it is long, and a caret under the scalar in that column.
  private static func excerpt(_ line: Substring, column: Int) -> [String] {
    let shown = 100
    // A long line begins a little before the column.
    let start = column > shown ? column - shown / 2 : 0
    let scalars = line.unicodeScalars.dropFirst(start).prefix(shown)
    let text = scalars.map { $0.isHarmful ? " " : String($0) }
    let before = text.prefix(max(0, column - 1 - start)).joined()
    return ["  " + text.joined(), "  " + String(repeating: " ", count: before.columns) + "^"]
  }
}
