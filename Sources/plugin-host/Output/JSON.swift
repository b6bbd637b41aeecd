import PluginRuntime

/// A JSON text on one line. Members of an object keep their order.
struct JSON {
  let text: String

  static let null = JSON(text: "null")
  static func bool(_ value: Bool) -> JSON { JSON(text: value ? "true" : "false") }
  static func number(_ value: UInt64) -> JSON { JSON(text: String(value)) }
  static func string(_ value: String) -> JSON { JSON(text: PluginValue.string(value).json) }
  static func value(_ value: PluginValue) -> JSON { JSON(text: value.json) }

  static func array(_ elements: [JSON]) -> JSON {
    JSON(text: "[" + elements.map(\.text).joined(separator: ",") + "]")
  }

  static func object(_ members: [(name: String, value: JSON)]) -> JSON {
    JSON(text: "{" + members.map { string($0.name).text + ":" + $0.value.text }.joined(separator: ",") + "}")
  }
}
