/// Splits the names of functions into words, and finds the verbs among them.
enum FunctionVerbs {
  /// Verbs that are a part of a word: `gzopen`, `opendir`, `regcomp`, `regfree`.
  private static let joined = ["open", "close", "comp", "free"]
  /// Prefixes that make another verb of a joined one: `uncomp`, `reopen`.
  private static let prefixes = ["un", "de", "re"]

  /// Splits a name into its words without the verb, and the index of the verb. The verb may end a word, as in `gzopen`,
  /// or begin it, as in `opendir`.
  static func split(_ name: String, verbs: [String]) -> (rest: [String], verb: Int)? {
    let words = words(name)
    for (position, word) in words.enumerated().reversed() {
      for (number, verb) in verbs.enumerated() {
        let rest: String
        if word == verb || word.hasPrefix(verb) && word.dropFirst(verb.count).allSatisfy(\.isNumber) {
          rest = ""
        } else if word.hasSuffix(verb), joined.contains(verb), !prefixes.contains(String(word.dropLast(verb.count))) {
          rest = String(word.dropLast(verb.count))
        } else if word.hasPrefix(verb), ["open", "close"].contains(verb) {
          rest = String(word.dropFirst(verb.count))
        } else {
          continue
        }
        return (words[..<position] + (rest.isEmpty ? [] : [rest]) + words[(position + 1)...], number)
      }
    }
    return nil
  }

  /// Whether a function only ends the work of an object that another one of `others` frees: `archive_read_close` beside
  /// `archive_read_free`.
  static func onlyEnds(
    _ name: String, _ others: [(rest: [String], verb: Int, name: String)], verbs: [String]
  ) -> Bool {
    guard let (rest, verb) = split(name, verbs: verbs), ending.contains(verbs[verb]) else { return false }
    return others.contains { $0.rest == rest && !ending.contains(verbs[$0.verb]) }
  }

  private static let ending: Set<String> = ["close", "end", "clear", "cleanup", "finalize", "term", "done"]

  /// Splits a name into its lowercase words: `xml`, `new`, `doc` for `xmlNewDoc`, and `llvm`, `create` for
  /// `LLVMCreate`.
  static func words(_ name: String) -> [String] {
    let letters = Array(name)
    var words: [String] = [""]
    for (index, letter) in letters.enumerated() {
      let isNext = index + 1 < letters.count && letters[index + 1].isLowercase
      let isBoundary = index > 0 && letter.isUppercase && (!letters[index - 1].isUppercase || isNext)
      if letter == "_" || isBoundary { words.append("") }
      if letter != "_" { words[words.count - 1] += letter.lowercased() }
    }
    return words.filter { !$0.isEmpty }
  }
}
