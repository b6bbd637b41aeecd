extension ValueType: CustomStringConvertible {
  /// The type as written in a signature: "own str", "promise<i32>".
  public var description: String { text { $0 } }

  /// Returns the type's text, with the names of other parameters replaced by `name`.
  func text(_ name: (String) -> String) -> String {
    switch self {
    case .scalar(let scalar): scalar.rawValue
    case .str: "str"
    case .bytes: "bytes"
    case .cstr: "cstr"
    case .error: "error"
    case .token: "token"
    case .value: "value"
    case .fd: "fd"
    case .constant(let constants): constants.description
    case .pointer(let target): "ptr<\(target)>"
    case .structure(let type):
      "{" + type.fields.map { "\($0.name): \($0.type)" }.joined(separator: ", ") + "}"
    case .union(let type):
      "union(\(type.tag)) {"
        + zip(type.members, type.values.constants).map { "\($0.name): \($0.type) = \($1.value.json)" }
        .joined(separator: ", ") + "}"
    case .array(let element, let count): "[\(element); \(count)]"
    case .inlineText(let size): "str[\(size)]"
    case .slice(let element): "&[\(element)]"
    case .terminated(let element): "&[\(element); 0]"
    case .reference(let target): "&\(target)"
    case .counted(.slice(let element), let count): "&[\(element); \(countName == nil ? count : name(count))]"
    case .counted(let type, let count): "\(type)[\(countName == nil ? count : name(count))]"
    case .own(let type, let release): "own\(release.map { "(\($0))" } ?? "") \(type.text(name))"
    case .optional(let type): "\(type.text(name))?"
    case .promise(let held): "promise<\(held?.description ?? "void")>"
    case .callback(let type): type.text(name)
    case .context(let callback): "context\(callback.map { "<\(name($0))>" } ?? "")"
    }
  }
}

extension CallbackType: CustomStringConvertible {
  /// The callback as written in a signature: "fn(u64, total: u64) -> bool @call".
  public var description: String { text { $0 } }

  /// Returns the callback's text with its parameters' names, to which its counts refer.
  func text(_ name: (String) -> String) -> String {
    let list = parameters.map { parameter in
      "\(parameter.name.map { "\($0): " } ?? "")\(parameter.prefix)\(parameter.type)"
    }
    return "fn(\(list.joined(separator: ", ")))\(ending)"
  }

  /// The canonical form of the callback: its types without names, except those of `out` and `inout` parameters, by
  /// which a closure returns their values.
  var canonical: String {
    let list = parameters.map { parameter in
      let type = parameter.type.text { name in
        "#\(parameters.firstIndex { $0.name == name } ?? 0)"
      }
      let name = parameter.direction == .input ? "" : parameter.name.map { "\($0): " } ?? ""
      return "\(name)\(parameter.prefix)\(type)"
    }
    return "fn(\(list.joined(separator: ", ")))\(ending)"
  }

  private var ending: String { "\(result.map { " -> \($0)" } ?? "") @\(scope.rawValue)" }
}

extension CallbackType.Parameter {
  /// The keywords before the type.
  fileprivate var prefix: String { direction.prefix + (role?.prefix ?? "") }
}

extension CallbackType.Role {
  /// The keyword before the type.
  var prefix: String {
    switch self {
    case .resolve: "resolve "
    case .reject(let rule): "reject \(rule.rawValue) "
    }
  }
}
