import PluginRuntime

/// Plugins as text for people.
enum PluginText {
  /// Returns a line for each plugin: id, version, number of functions, description.
  static func table(_ plugins: [PluginDescription]) -> String {
    let idWidth = plugins.map(\.id.columns).max() ?? 0
    let versionWidth = plugins.map(\.version.displayLine.columns).max() ?? 0
    return plugins.map { plugin in
      let count = plugin.functions.count == 1 ? "1 function" : "\(plugin.functions.count) functions"
      let columns = [
        plugin.id.padded(to: idWidth), plugin.version.displayLine.padded(to: versionWidth),
        count.padded(to: 12), plugin.description?.displayLine ?? "",
      ]
      return trimmed(columns.joined(separator: "  ")) + "\n"
    }.joined()
  }

  /// Returns the full description of a plugin.
  static func page(_ plugin: PluginDescription) -> String {
    var lines = [trimmed("\(plugin.id) \(plugin.version.displayLine)")]
    if let description = plugin.description { lines.append(description.displayLine) }
    lines.append("")
    lines.append("path      \(plugin.path.displayLine)")
    if let adoption = plugin.adoption {
      if let file = adoption.file { lines.append("adopted   \(file.displayLine)") }
    } else {
      lines.append("abi       \(plugin.abiText)")
    }
    if !plugin.required.isEmpty { lines.append("requires  \(plugin.required.joined(separator: ", "))") }
    for function in plugin.functions {
      lines += ["", function.signature.description]
      if let description = function.description { lines.append("    \(description.displayLine)") }
      // A prototype with structs has a line for each of them.
      lines += function.signature.cPrototype.split(separator: "\n").map { "    \($0)" }
      if let example = CommandLineExample.text(of: function, in: plugin) { lines.append("    \(example)") }
    }
    return lines.map { $0 + "\n" }.joined()
  }

  private static func trimmed(_ line: String) -> String {
    String(line.reversed().drop { $0 == " " }.reversed())
  }
}

extension PluginDescription {
  /// The range of ABI versions as text: `1` or `1 to 3`.
  var abiText: String {
    abi.lowerBound == abi.upperBound ? "\(abi.lowerBound)" : "\(abi.lowerBound) to \(abi.upperBound)"
  }

  var json: JSON {
    .object([
      ("path", .string(path)),
      ("id", .string(id)),
      ("version", .string(version)),
      ("description", description.map(JSON.string) ?? .null),
      ("abi", .object([("min", .number(UInt64(abi.lowerBound))), ("max", .number(UInt64(abi.upperBound)))])),
      ("required", .array(required.map(JSON.string))),
      ("adoption", adoption.map { $0.json } ?? .null),
      ("functions", .array(functions.map { $0.json(in: self) })),
    ])
  }
}

extension Adoption {
  var json: JSON {
    .object([("library", .string(library)), ("file", file.map(JSON.string) ?? .null)])
  }
}

extension FunctionDescription {
  func json(in plugin: PluginDescription) -> JSON {
    .object([
      ("name", .string(signature.name)),
      ("signature", .string(signature.description)),
      ("canonical", .string(signature.canonical)),
      ("description", description.map(JSON.string) ?? .null),
      ("parameters", .array(signature.parameters.map(\.json))),
      ("result", .string(signature.result?.description ?? "void")),
      ("fails", .bool(signature.fails)),
      ("prototype", .string(signature.cPrototype)),
      ("command", CommandLineExample.text(of: self, in: plugin).map(JSON.string) ?? .null),
      (
        "schema",
        .object([("arguments", JSONSchema.arguments(of: self)), ("result", JSONSchema.result(of: self))])
      ),
    ])
  }
}

extension Parameter {
  var json: JSON {
    var members: [(name: String, value: JSON)] = [("name", .string(name)), ("type", .string("\(type)"))]
    members.append(("direction", .string(direction.word)))
    if isMoved { members.append(("moving", .bool(true))) }
    if let defaultValue { members.append((isConstant ? "constant" : "default", defaultValue.asArgument)) }
    if let note { members.append(("description", .string(note))) }
    return .object(members)
  }
}

extension Parameter.Direction {
  fileprivate var word: String {
    switch self {
    case .input: "in"
    case .output: "out"
    case .inOut: "inout"
    }
  }
}
