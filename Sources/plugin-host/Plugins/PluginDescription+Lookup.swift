import PluginRuntime

/// Lookup of plugins by name: the id, or the id's last component.
extension [PluginDescription] {
  enum Lookup {
    case found(PluginDescription)
    /// The last component is ambiguous.
    case ambiguous([String])
    case unknown
  }

  func lookup(_ name: String) -> Lookup {
    if let plugin = first(where: { $0.id == name }) { return .found(plugin) }
    let matches = filter { $0.shortName == name }
    switch matches.count {
    case 0: return .unknown
    case 1: return .found(matches[0])
    default: return .ambiguous(matches.map(\.id))
    }
  }
}

extension PluginDescription {
  /// The last component of the id: `digest` of `org.example.digest`.
  var shortName: String { id.split(separator: ".").last.map(String.init) ?? id }

  /// Returns the function of that name.
  func function(named name: String) -> FunctionDescription? {
    functions.first { $0.name == name }
  }

  /// Returns the error for a missing function.
  func unknownFunction(_ function: String) -> Failure {
    let hint = Suggestion.near(function, among: functions.map(\.name))
    let message = "plugin-host: \(id) has no function \"\(function.truncated(to: 100))\"\(hint)".displayLine
    return Failure(.usage, lines: [message] + functionList)
  }

  /// The number of functions up to which an error lists them.
  static let mostListed = 40

  private var functionList: [String] {
    let file = adoption?.file ?? path
    switch functions.count {
    case 0: return ["plugin-host: it has none"]
    case ...Self.mostListed: return ["plugin-host: it has:"] + functions.map { "plugin-host:   \($0.signature)" }
    default:
      return ["plugin-host: it has \(functions.count) functions: plugin-host inspect \(file) lists them".displayLine]
    }
  }
}
