/// A file with its mutations behind switches.
package struct Rendering {
  package let text: String
  /// The code of each mutation in the text, by its number: before its range, and behind it.
  package let places: [Int: [Range<Int>]]
  /// The range of each mutation in the text, including all code put around it.
  package let spans: [Int: Range<Int>]
}

extension SourceFile {
  /// Puts the mutations into the file. `numbered` are those of this file. `preamble` becomes its first line.
  package func rendered(_ numbered: [(number: Int, edit: Edit)], preamble: String = "") -> Rendering {
    // Outer edits first. Edits come from a syntax tree, so two edits are nested or disjoint.
    let sorted = numbered.sorted {
      let (one, other) = ($0.edit, $1.edit)
      if one.range.lowerBound != other.range.lowerBound { return one.range.lowerBound < other.range.lowerBound }
      if one.range.upperBound != other.range.upperBound { return one.range.upperBound > other.range.upperBound }
      return (one.level, $0.number) < (other.level, $1.number)
    }
    var out: [UInt8] = Array(preamble.utf8)
    var places: [Int: [Range<Int>]] = [:]
    var spans: [Int: Range<Int>] = [:]
    var open: [(number: Int, edit: Edit, start: Int)] = []
    var position = 0

    func copy(to end: Int) {
      out += Array(self[position..<end].utf8)
      position = end
    }
    func put(_ code: String, _ number: Int) {
      // Nested edits of a body of one expression end with "return" each: only the innermost keeps it.
      let word = Array("return ".utf8)
      if code.hasPrefix("if "), out.suffix(word.count) == word[...] { out.removeLast(word.count) }
      let start = out.count
      out += Array(code.replacing(String(Mutation.number), with: String(number)).utf8)
      places[number, default: []].append(start..<out.count)
    }
    func close() {
      let (number, edit, start) = open.removeLast()
      copy(to: edit.range.upperBound)
      put(edit.suffix, number)
      spans[number] = start..<out.count
    }
    for (number, edit) in sorted {
      while let last = open.last, last.edit.range.upperBound <= edit.range.lowerBound { close() }
      copy(to: edit.range.lowerBound)
      open.append((number, edit, out.count))
      put(edit.prefix, number)
    }
    while !open.isEmpty { close() }
    copy(to: count)
    return Rendering(text: String(decoding: out, as: UTF8.self), places: places, spans: spans)
  }
}

extension Rendering {
  /// Returns the mutations to blame for a compiler's message at a place of the text: those whose code is there; else
  /// those on the line; else the innermost ones around it and the last one before it, on whose result it may depend.
  package func blamed(line: Int, column: Int) -> [Int] {
    let lines = text.utf8.split(separator: UInt8(ascii: "\n"), maxSplits: line, omittingEmptySubsequences: false)
    let start = lines.prefix(line - 1).reduce(0) { $0 + $1.count + 1 }
    let end = start + (line <= lines.count ? lines[line - 1].count : 0)
    let offset = start + column - 1
    let exact = places.filter { $0.value.contains { $0.contains(offset) } }.map(\.key)
    if !exact.isEmpty { return exact }
    let touching = places.filter { $0.value.contains { $0.lowerBound <= end && $0.upperBound > start } }.map(\.key)
    if !touching.isEmpty { return touching }
    let around = spans.filter { $0.value.lowerBound <= offset && $0.value.upperBound >= offset }
    let least = around.values.min { $0.count < $1.count }
    let before = spans.filter {
      least?.contains($0.value.lowerBound) != false && $0.value.upperBound <= offset
    }
    let last = before.max { $0.value.upperBound < $1.value.upperBound }?.key
    return around.filter { $0.value.count == least?.count }.map(\.key) + [last].compactMap { $0 }
  }
}
