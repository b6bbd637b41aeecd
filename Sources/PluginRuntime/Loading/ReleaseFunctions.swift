/// The functions that free results of a library's other functions, `own(f)`: without them the other functions cannot be
/// called.
enum ReleaseFunctions {
  /// Checks that the library, or one that it links, exports all that a signature names.
  ///
  /// - Parameter place: the place of the signature, for errors: "functions[1].signature".
  static func check(_ text: String, in library: SharedLibrary, _ place: String) throws(PluginError) {
    for (name, column) in releases(in: text) where library.symbol(name) == nil {
      let mistake = SignatureError(
        text: text, column: column, found: "'\(name)'",
        expected: "a function that the library exports, or one that it links")
      throw PluginError(.badSignature(mistake), library.path, "has a mistake in \(place), \(mistake)")
    }
  }

  private static func releases(in text: String) -> [(name: String, column: Int)] {
    // The caller has parsed the signature before.
    guard var parser = try? SignatureParser(text), (try? parser.parse()) != nil else { return [] }
    return parser.releases
  }
}
