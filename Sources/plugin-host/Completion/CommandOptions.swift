import ArgumentParser

/// The options of a command, as its help lists them.
struct CommandOptions {
  /// An option with its short form.
  struct Option: Equatable {
    var names: [String]
    var takesValue: Bool
    var note: String
  }

  let all: [Option]

  init(of command: any ParsableCommand.Type) {
    // Prevents wrapping of the help's lines.
    self.init(help: PluginHost.helpMessage(for: command, columns: 100_000))
  }

  init(help: String) {
    let lines = help.split(separator: "\n").drop { $0 != "OPTIONS:" }.dropFirst()
    all = lines.compactMap { line in
      let words = line.split(separator: " ", omittingEmptySubsequences: true)
      guard line.hasPrefix("  -"), !words.isEmpty else { return nil }
      let head = words.prefix { $0.hasPrefix("-") || $0.hasPrefix("<") }
      let names = head.filter { $0.hasPrefix("-") }.map { $0.trimmingSuffix(",") }
      return Option(
        names: names, takesValue: head.contains { $0.hasPrefix("<") },
        note: words.dropFirst(head.count).joined(separator: " "))
    }
  }

  subscript(name: String) -> Option? { all.first { $0.names.contains(name) } }
}

extension Substring {
  fileprivate func trimmingSuffix(_ suffix: String) -> String {
    hasSuffix(suffix) ? String(dropLast(suffix.count)) : String(self)
  }
}
