import PluginRuntime

/// The text of an argument for a callback, `fn(...)`: a function, `plugin.function`, or an expression.
enum CallbackText {
  case function(plugin: String, function: String)
  case expression

  /// Reads names joined by dots as a function, unless the first is an argument's name. A path that begins with "/",
  /// "./" or "../" is part of a function too.
  init(_ text: String, for type: CallbackType) {
    self = .expression
    let isPath = ["/", "./", "../"].contains { text.hasPrefix($0) }
    guard let dot = text.lastIndex(of: ".") else { return }
    let plugin = String(text[..<dot])
    let function = String(text[dot...].dropFirst())
    guard Name.isValid(function), isPath ? plugin.last != "/" : Self.isDotted(plugin, for: type) else { return }
    self = .function(plugin: plugin, function: function)
  }

  private static func isDotted(_ plugin: String, for type: CallbackType) -> Bool {
    let names = plugin.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
    return names.allSatisfy(Name.isValid) && !type.closureParameters.contains { $0.name == names[0] }
  }
}
