import CPromise
import Glibc

extension PluginDescriptor {
  /// Makes the descriptor that the library would have if it were a plugin.
  static func adopting(
    _ adoption: Adoption
  ) throws(PluginError) -> (descriptor: PluginDescriptor, library: SharedLibrary) {
    try check(adoption)
    let path = try LibraryFinder.path(of: adoption.library)
    let own = try ownSymbols(of: adoption, path)
    let library = try SharedLibrary(verifying: path, exporting: own)
    var entries: [promise_function_t] = []
    for function in adoption.functions {
      entries.append(try library.function(named: function.exportedName))
      let signature = function.signature
      try ReleaseFunctions.check(signature.description, in: library, "the signature of '\(signature.name)'")
    }
    let constants = LibraryConstantSets(adoption.constants)
    let description = PluginDescription(
      path: library.path, id: adoption.id, version: adoption.version ?? version(ofFile: library.path),
      description: adoption.description, required: [], abi: hostABI...hostABI,
      functions: adoption.functions.map {
        FunctionDescription(signature: $0.signature.accepting(constants), description: $0.description)
      },
      adoption: adoption)
    return (PluginDescriptor(description: description, load: nil, unload: nil, entries: entries), library)
  }

  /// Returns the symbols that the library itself has to export: those of all functions, except of functions with a
  /// `symbol` that a linked library exports.
  private static func ownSymbols(of adoption: Adoption, _ path: String) throws(PluginError) -> [String] {
    guard adoption.functions.contains(where: { $0.symbol != nil }) else {
      return adoption.functions.map(\.exportedName)
    }
    let exports = try LibraryExports(of: path)
    return adoption.functions.filter { $0.symbol == nil || !exports.provides($0.exportedName) }.map(\.exportedName)
  }

  /// Checks the names in an adoption.
  static func check(_ adoption: Adoption) throws(PluginError) {
    let subject = adoption.file ?? adoption.library
    guard PluginDescription.isID(adoption.id) else {
      throw PluginError(
        .badDescriptor, subject,
        "has the id \(PluginValue.string(adoption.id).json), expected one of letters, digits, '.', '-' and '_'")
    }
    var names: Set<String> = []
    for function in adoption.functions where !names.insert(function.signature.name).inserted {
      throw PluginError(
        .badDescriptor, subject,
        "has two functions named '\(function.signature.name)': give one another name, and "
          + "its name in the library as its symbol")
    }
    names = []
    for constant in adoption.constants {
      let name = PluginValue.string(constant.name).json
      guard constant.value.isInteger else {
        throw PluginError(
          .badDescriptor, subject, "has the constant \(name) as \(constant.value.name), expected an integer")
      }
      guard names.insert(constant.name).inserted else {
        throw PluginError(.badDescriptor, subject, "has two constants named \(name): give one another name")
      }
    }
  }

  /// "1.2.13" of "/usr/lib/libz.so.1.2.13"; "0" where the name has no version.
  private static func version(ofFile path: String) -> String {
    let name = path.parts(separatedBy: "/").last ?? ""
    guard let mark = name.firstRange(of: ".so.") else { return "0" }
    return String(name[mark.upperBound...])
  }
}

extension PluginValue {
  fileprivate var isInteger: Bool {
    switch self {
    case .int, .uint: true
    default: false
    }
  }
}
