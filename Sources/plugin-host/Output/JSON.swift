import PluginRuntime

/// A JSON text to be written, on one line. Members of an object keep their order.
indirect enum JSON {
  case null
  case bool(Bool)
  case number(UInt64)
  case string(String)
  case value(PluginValue)
  case array([JSON])
  case object([(name: String, value: JSON)])

  var text: String {
    switch self {
    case .null: "null"
    case .bool(let value): value ? "true" : "false"
    case .number(let value): String(value)
    case .string(let value): PluginValue.string(value).json
    case .value(let value): value.json
    case .array(let elements): "[" + elements.map(\.text).joined(separator: ",") + "]"
    case .object(let members):
      "{" + members.map { JSON.string($0.name).text + ":" + $0.value.text }.joined(separator: ",") + "}"
    }
  }
}
