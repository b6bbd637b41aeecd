/// The line being edited, and the position of the cursor.
struct EditedLine: Equatable {
  private(set) var characters: [Character] = []
  /// The number of characters before the cursor.
  private(set) var cursor = 0

  var text: String { String(characters) }
  var textBeforeCursor: String { String(characters[..<cursor]) }

  init(_ text: String = "") {
    characters = Array(text)
    cursor = characters.count
  }

  mutating func insert(_ text: String) {
    let tail = characters.count - cursor
    // As one string: a scalar may join the character before it.
    characters = Array(String(characters[..<cursor]) + text + String(characters[cursor...]))
    cursor = max(0, characters.count - tail)
  }

  /// Removes the `count` characters before the cursor.
  mutating func deleteBackward(_ count: Int = 1) {
    let start = max(0, cursor - count)
    characters.removeSubrange(start..<cursor)
    cursor = start
  }

  mutating func deleteForward() {
    if cursor < characters.count { characters.remove(at: cursor) }
  }

  mutating func deleteToStart() { deleteBackward(cursor) }
  mutating func deleteToEnd() { characters.removeSubrange(cursor...) }
  mutating func deleteWord() { deleteBackward(cursor - startOfWord) }
  mutating func moveLeft() { cursor = max(0, cursor - 1) }
  mutating func moveRight() { cursor = min(characters.count, cursor + 1) }
  mutating func moveToStart() { cursor = 0 }
  mutating func moveToEnd() { cursor = characters.count }
  mutating func moveWordLeft() { cursor = startOfWord }

  mutating func moveWordRight() {
    while cursor < characters.count, characters[cursor] == " " { cursor += 1 }
    while cursor < characters.count, characters[cursor] != " " { cursor += 1 }
  }

  private var startOfWord: Int {
    var start = cursor
    while start > 0, characters[start - 1] == " " { start -= 1 }
    while start > 0, characters[start - 1] != " " { start -= 1 }
    return start
  }

  /// Returns the part of the line around the cursor that fits into `width` columns, and the columns before the cursor
  /// in it.
  func window(width: Int) -> (text: String, column: Int) {
    var start = cursor
    var column = 0
    // One column is for the character under the cursor.
    while start > 0, column + String(characters[start - 1]).columns < width {
      start -= 1
      column += String(characters[start]).columns
    }
    var end = cursor
    var used = column
    while end < characters.count, used + String(characters[end]).columns <= width {
      used += String(characters[end]).columns
      end += 1
    }
    return (String(characters[start..<end]), column)
  }
}
