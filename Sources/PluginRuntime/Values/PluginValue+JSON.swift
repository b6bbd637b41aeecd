extension PluginValue {
  /// The value as one line of JSON: integers exact, bytes in base64, `null` for void, and "NaN", "Infinity" and "-Infinity" as strings, as
  /// JSON has no numbers for them.
  public var json: String { fatalError("declaration") }
}
