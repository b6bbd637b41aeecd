/// The origin of a plugin: its own file, or a library with signatures for its functions.
enum PluginSource: Sendable, Equatable {
  /// The absolute path.
  case file(String)
  case adoption(Adoption)

  /// The source as the body of a frame.
  var value: PluginValue {
    switch self {
    case .file(let path): .string(path)
    case .adoption(let adoption): adoption.value
    }
  }

  init(from value: PluginValue) throws(ArgumentMismatch) {
    if case .string(let path) = value {
      self = .file(path)
    } else {
      self = .adoption(try Adoption(from: try ValueFields(value)))
    }
  }

  /// The name in errors.
  var name: String {
    switch self {
    case .file(let path): path
    case .adoption(let adoption): adoption.id
    }
  }

  func inspect() throws(PluginError) -> PluginDescription {
    switch self {
    case .file(let path): try Host.inspect(path)
    case .adoption(let adoption): try Host.inspect(adoption)
    }
  }

  func load(into host: Host) throws(PluginError) -> PluginDescription {
    switch self {
    case .file(let path): try host.load(path)
    case .adoption(let adoption): try host.adopt(adoption)
    }
  }
}
