import ArgumentParser

@testable import plugin_host

extension PluginHost {
  /// The commands that `--help` shows, each as its words: the program itself without any, then groups before their
  /// members.
  static var shownCommands: [(words: [String], isGroup: Bool)] {
    func tree(_ command: any ParsableCommand.Type, _ words: [String]) -> [(words: [String], isGroup: Bool)] {
      let members = command.configuration.subcommands.filter { $0.configuration.shouldDisplay }
      return [(words, !members.isEmpty)] + members.flatMap { tree($0, words + [$0._commandName]) }
    }
    return tree(PluginHost.self, [])
  }
}
