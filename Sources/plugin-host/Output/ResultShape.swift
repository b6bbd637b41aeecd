import PluginRuntime

/// The type of a step's result, to the extent that it is known before the step runs.
indirect enum ResultShape: Sendable {
  case nothing
  /// Known only from the value.
  case any
  case type(ValueType)
  /// The result of a function with `out` parameters, or several results of a pipeline.
  case object([(name: String, shape: ResultShape)])
  /// The result of a step with `each`: a list with the result for each element.
  case list(ResultShape)

  var kind: ArgumentKind {
    switch self {
    case .nothing: .void
    case .any: .any
    case .type(let type): ArgumentKind(type)
    case .object: .object
    case .list: .array
    }
  }

  /// The result as text for people: `own bytes`, `nothing`.
  var text: String {
    switch self {
    case .nothing: "nothing"
    case .any: "a value"
    case .type(let type): "\(type)"
    case .object(let members): "an object of " + members.map(\.name).joined(separator: ", ")
    case .list(let shape): "a list of \(shape.text)"
    }
  }

  /// Returns the name of the only member that suits a parameter of that kind: the user forgot to name it.
  func member(for kind: ArgumentKind) -> String? {
    guard case .object(let members) = self else { return nil }
    let fitting = members.filter { $0.shape.kind.suits(kind) }
    return fitting.count == 1 ? fitting[0].name : nil
  }

  /// Returns the shape of the part at a path. Throws if no value of this shape has that part.
  func part(_ path: ResultPath) throws(MissingPart) -> ResultShape {
    var shape = self
    for part in path.parts { shape = try shape.part(part) }
    return shape
  }

  /// The shape of the elements of a list.
  var element: ResultShape {
    switch self {
    case .list(let shape): shape
    case .type(let type): type.listElement.map { .type($0) } ?? .any
    default: .any
    }
  }

  private func part(_ part: ResultPath.Part) throws(MissingPart) -> ResultShape {
    switch self {
    case .any: return .any
    case .nothing: throw MissingPart("there is no result")
    case .list(let shape):
      switch part {
      case .index: return shape
      case .name(let name): if Int(name) != nil { return shape }
      }
    case .object(let members):
      if case .name(let name) = part {
        if let member = members.first(where: { $0.name == name }) { return member.shape }
        throw Self.missingPart(name, among: members.map(\.name))
      }
    case .type(let type):
      switch (type.kind, part) {
      case (.structure, .name(let name)), (.union, .name(let name)):
        let fields = type.fields ?? []
        if let field = fields.first(where: { $0.name == name }) { return .type(field.type) }
        throw Self.missingPart(name, among: fields.map(\.name))
      case (.list, .index), (.bytes, .index): return element
      case (.list, .name(let name)) where Int(name) != nil, (.bytes, .name(let name)) where Int(name) != nil:
        return element
      case (.promise(let held), _): return try (held.map { .type($0) } ?? ResultShape.nothing).part(part)
      // A text may be JSON.
      case (.text, _), (.inlineText, _), (.value, _), (.error, _): return .any
      default: break
      }
    }
    throw MissingPart("it is \(text), which has no part \"\(ResultPath(parts: [part]))\"")
  }

  private static func missingPart(_ name: String, among names: [String]) -> MissingPart {
    let hint = Suggestion.near(name, among: names)
    return MissingPart("it has no \"\(name)\"" + (hint.isEmpty ? "; it has \(names.joined(separator: ", "))" : hint))
  }
}

extension Signature {
  /// The shape of a call's result.
  var shape: ResultShape {
    let result = yielded.map { ResultShape.type($0) }
    guard !outputs.isEmpty else { return result ?? .nothing }
    return .object(outputs.map { ($0.name, .type($0.type)) } + (result.map { [("result", $0)] } ?? []))
  }
}

extension ValueType {
  /// The type of the elements of a list; nil if no list is a value of this type.
  var listElement: ValueType? {
    if case .constant(let set) = self, set.areFlags { return self }
    return switch kind {
    case .list(let element, _): element
    case .bytes: .u8
    case .value, .error: .value
    case .promise(let held): held?.listElement
    default: nil
    }
  }
}
