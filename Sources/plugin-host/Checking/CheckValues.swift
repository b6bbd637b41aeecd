import CPluginEdge
import PluginRuntime
import Promises

/// Random and boundary values for the parameters of a function.
struct CheckValues {
  var dice: Dice
  /// Returns a new address of a type, from a function of the plugin; `nil` if no function returns one.
  let pointer: (String, inout Dice) -> PluginValue?

  /// Returns arguments for one call; `nil` if a parameter needs a token, or an address that no function returns.
  mutating func arguments(for signature: Signature) -> [Argument]? {
    var arguments: [Argument] = []
    for parameter in signature.inputs {
      guard let content = content(parameter.type) else { return nil }
      arguments.append(Argument(name: parameter.name, content))
    }
    return arguments
  }

  private mutating func content(_ type: ValueType) -> Argument.Content? {
    switch type.kind {
    case .callback(let callback):
      return type.isOptional && dice.chance(30) ? .value(.void) : .callback(self.callback(callback))
    case .promise(let held) where !type.isOptional:
      return .promise(dice.chance(80) ? .resolve(value(held) ?? .void) : .reject(refusal))
    default: return value(type).map { .value($0) }
    }
  }

  /// Returns a value of the type, often at an edge of its range. A type of `nil` is void.
  mutating func value(_ type: ValueType?) -> PluginValue? {
    guard let type else { return .void }
    if type.isOptional { return dice.chance(30) ? .void : value(type.content) ?? .void }
    switch type.kind {
    case .scalar(let scalar): return value(scalar)
    case .text(let hasNUL): return .string(text(hasNUL: hasNUL))
    case .inlineText(let size): return .string(String(repeating: "x", count: dice.pick([0, 1, size - 1])))
    case .bytes: return .bytes((0..<dice.pick(Self.sizes)).map { UInt8(truncatingIfNeeded: $0) })
    case .structure(let structure):
      var members: [PluginMember] = []
      for field in structure.fields where !structure.isCount(field.name) {
        var type: ValueType? = field.type
        if case .union(let union) = field.type {
          type = union.choice(tagged: members.first { $0.name == union.tag }?.value)
        }
        let union = dice.chance(90) ? structure.union(taggedBy: field.name) : nil
        guard let value = union.map({ dice.pick($0.values.constants).value }) ?? value(type) else { return nil }
        members.append(PluginMember(field.name, value))
      }
      return .object(members)
    // A random number may be the 0 that ends the array.
    case .list where type.isTerminated: return nil
    case .list(let element, let count): return elements(element, count ?? dice.pick([0, 1, 2, 3, 17]))
    case .pointer(let name): return pointer(name, &dice)
    case .value: return dice.pick([.void, .bool(true), .int(-1), .double(0.5), .string("text"), .bytes([0, 255])])
    case .file: return file()
    case .error: return .object([PluginMember("message", .string(text(hasNUL: false)))])
    case .promise, .callback, .context, .token, .union: return nil
    }
  }

  /// Returns a file with bytes to read, and space to write to.
  private mutating func file() -> PluginValue? {
    let bytes = [UInt8](repeating: 10, count: dice.pick(Self.sizes))
    return (try? OpenFile(taking: plugin_open_file_new(bytes, bytes.count))).map { .file($0) }
  }

  private mutating func elements(_ type: ValueType, _ count: Int) -> PluginValue? {
    var values: [PluginValue] = []
    for _ in 0..<count {
      guard let value = value(type) else { return nil }
      values.append(value)
    }
    return .array(values)
  }

  private static let sizes = [0, 1, 2, 7, 8, 64, 300, 4096, 70_000]

  private mutating func number(isSingle: Bool) -> Double {
    let edges = [0, -0.0, 1, -1, .infinity, -.infinity, .nan, 1e-30, 1e30]
    let number = dice.chance(50) ? dice.pick(edges) : Double(Int64(bitPattern: dice.next())) / 1e6
    return isSingle ? Double(Float(number)) : number
  }

  private mutating func text(hasNUL: Bool) -> String {
    let words = ["", "a", "text", "h\u{E9}\u{6C34}\u{1F600}", "%s%n", "../..", String(repeating: "long ", count: 100)]
    return dice.pick(hasNUL ? words + ["nul\u{0}in it"] : words)
  }

  private mutating func value(_ type: ScalarType) -> PluginValue {
    if type.form == .bool { return .bool(dice.chance(50)) }
    if type.form == .float { return .double(number(isSingle: type.size == 4)) }
    let bits = dice.next()
    let isEdge = dice.chance(50)
    let mask = UInt64.max >> type.unusedBits
    if type.form == .unsigned { return .uint(isEdge ? dice.pick([0, 1, 2, mask, mask - 1, mask / 2]) : bits & mask) }
    let top = Int64(mask / 2)
    return .int(isEdge ? dice.pick([0, 1, -1, top, -top - 1, -top]) : Int64(bitPattern: bits) >> type.unusedBits)
  }

  private mutating func callback(_ type: CallbackType) -> PluginCallback {
    let result = value(type.result) ?? .void
    return PluginCallback { _ in result }
  }

  private var refusal: PromiseError { PromiseError(domain: "plugin-host", code: 1, message: "rejected by the check") }
}

extension [Argument] {
  /// The arguments as text for people, shortened.
  var checkText: String {
    map { argument in
      let content: String =
        switch argument.content {
        case .value(let value): value.json
        case .promise(let promise): promise.state == .fulfilled ? "a fulfilled promise" : "a rejected promise"
        case .callback: "a callback"
        default: "..."
        }
      return "\(argument.name.map { "\($0)=" } ?? "")\(content.count > 60 ? content.prefix(60) + "..." : content[...])"
    }.joined(separator: ", ")
  }
}

extension Dice {
  /// A generator for one check: the seed and the name determine the numbers.
  init(seed: UInt64, name: String) {
    // FNV-1a.
    self.init(seed: name.utf8.reduce(seed ^ 0xCBF2_9CE4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 })
  }
}
