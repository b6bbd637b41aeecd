import ArgumentParser
import PluginRuntime

/// Completes the last word of a command line. Plugins are read in child processes, as `inspect` does.
struct CommandLineCompletion {
  struct Candidate: Equatable {
    var text: String
    /// A description, on one line.
    var note = ""
  }

  /// The word at the cursor, as far as the user has typed it.
  private let typed: String
  /// The positional words of the command.
  private var operands: [String] = []
  private var directories: [String] = []
  private var acceptsUnsafeFiles = false
  private var hasSignature = false
  /// Whether the word at the cursor follows "--".
  private var isFree = false
  /// The option whose value is the word at the cursor.
  private var valued: CommandOptions.Option?
  private let command: any ParsableCommand.Type
  private let options: CommandOptions

  /// - Parameter words: the words after the program's name, the last up to the cursor.
  init(_ words: [String]) {
    typed = words.last ?? ""
    let (command, rest) = PluginHost.command(of: words.dropLast())
    self.command = command
    options = CommandOptions(of: command)
    read(Array(rest))
  }

  private mutating func read(_ words: [String]) {
    var rest = words[...]
    while let word = rest.popFirst() {
      if word == "--" {
        isFree = true
        return
      }
      let setting = word.cut(at: "=")
      guard word.hasPrefix("-"), word != "-", let option = options[setting?.before ?? word] else {
        operands.append(word)
        continue
      }
      acceptsUnsafeFiles = acceptsUnsafeFiles || option.names.contains("--accept-unsafe-files")
      hasSignature = hasSignature || option.names.contains("--signature")
      guard option.takesValue else { continue }
      if rest.isEmpty, setting == nil { valued = option }
      let value = setting?.after ?? rest.popFirst()
      if option.names.contains("--plugins"), let value { directories.append(value) }
    }
  }

  /// The candidates that begin with the word at the cursor; none where the shell completes files.
  var candidates: [Candidate] {
    var seen: Set<String> = []
    return all.filter { $0.text.hasPrefix(typed) && seen.insert($0.text).inserted }
  }

  private var all: [Candidate] {
    if isFree { return [] }
    if let valued {
      if valued.names.contains("--skip") { return operands.first.map { functions(of: $0) } ?? [] }
      if valued.names.contains("--get") { return members }
      return valued.values.map { Candidate(text: $0) }
    }
    if typed.hasPrefix("-") { return optionNames }
    switch command._commandName {
    case "call" where !hasSignature: return call
    case "inspect", "doc", "list": return plugins
    case "check": return operands.isEmpty ? plugins : []
    default: return operands.isEmpty && !subcommands.isEmpty ? subcommands : values
    }
  }

  private var subcommands: [Candidate] {
    command.configuration.subcommands.filter { $0.configuration.shouldDisplay }
      .map { Candidate(text: $0._commandName, note: $0.configuration.abstract) }
  }

  /// The values of the operand at the cursor.
  private var values: [Candidate] {
    options.operands.dropFirst(operands.count).first.map { $0.map { Candidate(text: $0) } } ?? []
  }

  /// The names of the options; the values of one whose name and "=" are typed.
  private var optionNames: [Candidate] {
    if let (name, _) = typed.cut(at: "="), let option = options[name] {
      return option.values.map { Candidate(text: "\(name)=\($0)") }
    }
    return options.all.flatMap { option in option.names.map { Candidate(text: $0, note: option.note) } }
  }

  private var finder: PluginFinder { PluginFinder(given: directories, acceptsUnsafeFiles: acceptsUnsafeFiles) }

  /// Names of plugins in the search path; the shell completes paths.
  private var plugins: [Candidate] {
    typed.isPath ? [] : finder.names.map { Candidate(text: $0) }
  }

  private var call: [Candidate] {
    guard let name = operands.first else { return plugins }
    guard operands.count > 1 else { return functions(of: name) }
    guard let function = plugin(name)?.function(named: operands[1]) else { return [] }
    return arguments(of: function.signature, given: Array(operands.dropFirst(2)))
  }

  /// The members of the result of the function whose name is typed.
  private var members: [Candidate] {
    guard operands.count > 1, !hasSignature,
      case .object(let members)? = plugin(operands[0])?.function(named: operands[1])?.signature.shape
    else { return [] }
    return members.map { Candidate(text: $0.name, note: $0.shape.text.displayLine) }
  }

  private func arguments(of signature: Signature, given: [String]) -> [Candidate] {
    let inputs = signature.inputs
    if let (name, value) = typed.cut(at: "="), let input = inputs.first(where: { $0.name == name }) {
      if input.type.callbackType != nil { return callbacks(value, for: name) }
      return input.values(value).map {
        Candidate(text: "\(input.name)=\($0.text)", note: $0.note)
      }
    }
    let names = given.compactMap { word in
      word.cut(at: "=").flatMap { setting in inputs.first { $0.name == setting.before }?.name }
    }
    let left = inputs.filter { !names.contains($0.name) }
    // Words without a name are assigned to the first parameters.
    let next = left.dropFirst(given.count - names.count)
    let values = next.first?.values(typed) ?? []
    return values
      + next.map { input in
        let note = [input.argumentType.content.description, input.note].compactMap(\.self).joined(separator: ", ")
        return Candidate(text: "\(input.name)=", note: note.displayLine)
      }
  }
}

extension CommandLineCompletion {
  /// Returns the functions that can be a callback, if their plugin's name and the dot are typed; otherwise plugins.
  private func callbacks(_ typed: String, for parameter: String) -> [Candidate] {
    guard let plugin = typed.cut(atLast: ".")?.before, !plugin.isEmpty else {
      return finder.names.map { Candidate(text: "\(parameter)=\($0).") }
    }
    return functions(of: plugin).map { function in
      Candidate(text: "\(parameter)=\(plugin).\(function.text)", note: function.note)
    }
  }

  private func plugin(_ name: String) -> PluginDescription? {
    var plan = PluginPlan(finder: finder, scanner: PluginScanner(timeout: Seconds(value: 5), trust: finder.trust))
    return try? plan.add(name)
  }

  private func functions(of name: String) -> [Candidate] {
    (plugin(name)?.functions ?? []).map {
      Candidate(text: $0.name, note: ($0.description ?? "\($0.signature)").displayLine)
    }
  }
}

extension Parameter {
  /// Returns the named values of the parameter. In a list of flags, the last one is completed.
  fileprivate func values(_ typed: String) -> [CommandLineCompletion.Candidate] {
    guard case .constant(let constants) = argumentType else {
      let isBool = type.content == .bool
      return isBool ? ["true", "false"].map { CommandLineCompletion.Candidate(text: $0) } : []
    }
    let flags = constants.areFlags ? typed.cut(atLast: "|") : nil
    let start = flags.map { "\($0.before)|" } ?? ""
    // A library may have thousands of constants, and each of its integers accepts all of them.
    if constants.areOfLibrary, (flags?.after ?? typed).isEmpty { return [] }
    return constants.constants.map { CommandLineCompletion.Candidate(text: start + $0.name, note: $0.value.json) }
  }
}
