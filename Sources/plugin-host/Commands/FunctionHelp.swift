import ArgumentParser

/// The help of one function: `plugin-host call PLUGIN FUNCTION --help`.
struct FunctionHelp {
  let call: CallCommand

  /// Nil if the words do not ask for help on a function: `--help` then describes the command.
  init?(_ words: [String]) {
    let end = words.firstIndex(of: "--") ?? words.endIndex
    let rest = words[..<end].filter { $0 != "--help" && $0 != "-h" }
    guard words.first == "call", rest.count < end, let call = try? CallCommand.parse(Array(rest.dropFirst())) else {
      return nil
    }
    self.call = call
  }

  func write() throws(Failure) {
    var plan = call.host.plan(call.host.search.finder, scanner: call.host.search.scanner)
    let (plugin, function, _) = try call.target(&plan)
    try StandardOutput.write(FunctionText.text(of: function, in: plugin))
  }
}
