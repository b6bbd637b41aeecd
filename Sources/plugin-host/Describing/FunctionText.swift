import PluginRuntime

/// The description of one function, for display.
enum FunctionText {
  static func text(of function: FunctionDescription, in plugin: PluginDescription) -> String {
    let signature = function.signature
    var lines = [signature.description]
    if let description = function.description { lines.append("    \(description.displayLine)") }
    let inputs = signature.inputs.map { row($0.name, $0.argumentType, $0.note, fallback: $0.fallback) }
    let tail = signature.tail.map { tail in
      (tail.parameter.name, tail.types.map(\.description).joined(separator: " | "), tail.note ?? "")
    }
    lines += section("ARGUMENTS", inputs + [tail].compactMap { $0 })
    lines += section("CALLBACKS", signature.inputs.compactMap(callbackRow))
    var results = signature.outputs.map { row($0.name, $0.type, $0.note, fallback: nil) }
    if let result = signature.yielded {
      results.insert(row(results.isEmpty ? "" : "result", result, signature.resultNote, fallback: nil), at: 0)
    }
    lines += section("RESULT", results)
    lines += ["", "C"] + signature.cPrototype.split(separator: "\n").map { "  \($0)" }
    if let example = CommandLineExample.text(of: function, in: plugin) { lines += ["", "EXAMPLE", "  \(example)"] }
    return lines.map { $0 + "\n" }.joined()
  }

  /// Describes how to write the callback of a parameter; nil if the parameter takes none.
  private static func callbackRow(_ parameter: Parameter) -> Row? {
    guard let type = parameter.type.callbackType else { return nil }
    let names = type.closureParameters.enumerated().map { $1.name ?? "$\($0 + 1)" }.joined(separator: ", ")
    return (parameter.name, "PLUGIN.FUNCTION", "or an expression" + (names.isEmpty ? "" : " of \(names)"))
  }

  private typealias Row = (name: String, type: String, note: String)

  private static func row(_ name: String, _ type: ValueType, _ note: String?, fallback: PluginValue?) -> Row {
    (name, type.description + (fallback.map { " = \($0.json)" } ?? ""), note?.displayLine ?? "")
  }

  /// Returns rows in columns under a heading; nothing if there are no rows.
  private static func section(_ heading: String, _ rows: [Row]) -> [String] {
    guard !rows.isEmpty else { return [] }
    let names = rows.map(\.name.columns).max() ?? 0
    let types = rows.map(\.type.columns).max() ?? 0
    let lines = rows.map { row in
      let columns = [names > 0 ? row.name.padded(to: names) : "", row.type.padded(to: types), row.note]
      return "  " + columns.filter { !$0.isEmpty }.joined(separator: "  ")
    }
    return ["", heading] + lines.map { String($0.reversed().drop { $0 == " " }.reversed()) }
  }
}
