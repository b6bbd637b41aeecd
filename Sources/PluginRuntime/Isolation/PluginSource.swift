/// The origin of a plugin: its own file, or a library with signatures for its functions.
enum PluginSource: Sendable, Equatable {
  /// The absolute path. It may lead over symbolic links, as they are when the file is loaded.
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

  /// The file at a path, which must exist. A relative path starts from the current folder.
  init(at path: String) throws(PluginError) {
    _ = try PluginFile.resolve(path)
    self = .file(PluginFile.absolute(path))
  }

  /// The library of an adoption. A relative path starts from the current folder.
  init(_ adoption: Adoption) {
    var adoption = adoption
    if adoption.library.isPath { adoption.library = PluginFile.absolute(adoption.library) }
    self = .adoption(adoption)
  }

  /// The adoption; `nil` for a plugin's own file.
  var adoption: Adoption? {
    guard case .adoption(let adoption) = self else { return nil }
    return adoption
  }

  /// The source with an absolute path to its file, symbolic links resolved as they are now. A library that is given by
  /// its name is searched for.
  func resolved() throws(PluginError) -> PluginSource {
    switch self {
    case .file(let path): return .file(try PluginFile.resolve(path))
    case .adoption(var adoption):
      // A worker would refuse the frame, without the place of the mistake.
      try PluginDescriptor.check(adoption)
      adoption.library = try PluginFile.resolve(LibraryFinder.path(of: adoption.library))
      return .adoption(adoption)
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
