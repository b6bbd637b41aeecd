/// The origin of a plugin: its own file, or a library with signatures for its functions.
enum PluginSource: Sendable, Equatable {
  /// The absolute path. It may lead over symbolic links, as they are when the file is loaded.
  case file(String)
  case adoption(Adoption)

  /// Returns the source of an adopted library. Its path, if it is given by one, becomes absolute with symbolic links
  /// resolved, as that of a plugin's file: a worker opens its sealed copy under that path.
  static func library(of adoption: Adoption) throws(PluginError) -> PluginSource {
    var adoption = adoption
    if adoption.library.contains("/") { adoption.library = try PluginFile.resolve(adoption.library) }
    return .adoption(adoption)
  }

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

  /// The file at a path, which must exist. A relative path starts from the current folder.
  init(at path: String) throws(PluginError) {
    _ = try PluginFile.resolve(path)
    self = .file(PluginFile.absolute(path))
  }

  /// The source with the symbolic links of a file's path resolved, as they are now.
  func resolved() throws(PluginError) -> PluginSource {
    guard case .file(let path) = self else { return self }
    return .file(try PluginFile.resolve(path))
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
