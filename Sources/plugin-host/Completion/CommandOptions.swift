import ArgumentParser

/// The options and operands of a command, as its help lists them.
struct CommandOptions {
  /// An option with its short form.
  struct Option: Equatable {
    var names: [String]
    var takesValue: Bool
    var note: String
    /// The values that the option accepts; empty if the help does not list them.
    var values: [String] = []
  }

  let all: [Option]
  /// The values that each operand accepts; empty if the help does not list them.
  let operands: [[String]]

  init(of command: any ParsableCommand.Type) {
    // Prevents wrapping of the help's lines.
    self.init(help: PluginHost.helpMessage(for: command, columns: 100_000))
  }

  init(help: String) {
    let lines = help.split(separator: "\n")
    operands = lines.drop { $0 != "ARGUMENTS:" }.dropFirst().prefix { $0 != "OPTIONS:" }
      .filter { $0.hasPrefix("  <") }.map(Self.values)
    all = lines.drop { $0 != "OPTIONS:" }.dropFirst().compactMap { line in
      let words = line.split(separator: " ", omittingEmptySubsequences: true)
      guard line.hasPrefix("  -"), !words.isEmpty else { return nil }
      let head = words.prefix { $0.hasPrefix("-") || $0.hasPrefix("<") }
      let names = head.filter { $0.hasPrefix("-") }.map { String($0.hasSuffix(",") ? $0.dropLast() : $0) }
      return Option(
        names: names, takesValue: head.contains { $0.hasPrefix("<") },
        note: words.dropFirst(head.count).joined(separator: " "), values: Self.values(in: line))
    }
  }

  /// The values that ArgumentParser lists at the end of a line: "(values: json, raw; default: json)".
  private static func values(in line: Substring) -> [String] {
    guard let start = line.firstRange(of: "(values: ")?.upperBound else { return [] }
    return line[start...].prefix { $0 != ";" && $0 != ")" }.split(separator: ",").map { String($0.drop { $0 == " " }) }
  }

  subscript(name: String) -> Option? { all.first { $0.names.contains(name) } }
}
