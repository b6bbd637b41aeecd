import PluginRuntime

extension ResultShape {
  /// Returns a result of this type as it is printed: an f32 with its own digits, and bytes in a `value` in the form in
  /// which they can be an argument again.
  func printed(_ value: PluginValue) -> PluginValue { converted(value, marksBytes: true) }

  /// Returns a result of this type as texts and expressions have it: an f32 as the number with as few digits as
  /// distinguish it from its neighbours. As an argument, it would be another number for an f64.
  func written(_ value: PluginValue) -> PluginValue { converted(value, marksBytes: false) }

  private func converted(_ value: PluginValue, marksBytes: Bool) -> PluginValue {
    switch self {
    case .nothing: return value
    case .any: return marksBytes ? value.withMarkedBytes : value
    case .list(let shape):
      guard case .array(let elements) = value else { return value }
      return .array(elements.map { shape.converted($0, marksBytes: marksBytes) })
    case .type(let type): return type.converted(value, marksBytes: marksBytes)
    case .object(let shapes):
      guard case .object(let members) = value else { return value }
      let shapes = Dictionary(shapes.map { ($0.name, $0.shape) }) { first, _ in first }
      return .object(
        members.map {
          PluginMember($0.name, shapes[$0.name]?.converted($0.value, marksBytes: marksBytes) ?? $0.value)
        })
    }
  }
}

extension ValueType {
  fileprivate func converted(_ value: PluginValue, marksBytes: Bool) -> PluginValue {
    switch (kind, value) {
    case (.promise(let type?), _): return type.converted(value, marksBytes: marksBytes)
    case (.scalar(.f32), .double(let number)):
      // A substitute's result may have more digits than an f32.
      let float = Float(number)
      return Double(float) == number && float.isFinite ? .double(Double("\(float)") ?? number) : value
    case (.structure, .object(let members)), (.union, .object(let members)):
      let types = Dictionary((fields ?? []).map { ($0.name, $0.type) }) { first, _ in first }
      return .object(
        members.map {
          PluginMember($0.name, types[$0.name]?.converted($0.value, marksBytes: marksBytes) ?? $0.value)
        })
    case (.list(let element, _), .array(let elements)):
      return .array(elements.map { element.converted($0, marksBytes: marksBytes) })
    case (.value, _): return marksBytes ? value.withMarkedBytes : value
    default: return value
    }
  }
}

extension PluginValue {
  /// The value with `{"base64": "..."}` for bytes, which would otherwise be read as a string.
  fileprivate var withMarkedBytes: PluginValue {
    switch self {
    case .bytes: .object([PluginMember("base64", .string(String(json.dropFirst().dropLast())))])
    case .array(let elements): .array(elements.map(\.withMarkedBytes))
    case .object(let members): .object(members.map { PluginMember($0.name, $0.value.withMarkedBytes) })
    default: self
    }
  }
}
