import PluginRuntime
import Synchronization

/// The secrets of this process, which are hidden in all output.
enum Redaction {
  /// The texts that stand for secrets, the longest first: as they are, on one line, and in base64, also in that of
  /// bytes around them. All of them are found in JSON too.
  private static let patterns = Mutex<[SecretPattern]>([])

  /// The least length of a text that is hidden, in characters: shorter ones are a part of too many other texts.
  static let leastLength = 4

  /// Hides a text from now on, the texts and numbers in it if it is JSON, and the numbers that it can be converted to.
  static func add(secret: String) {
    let types = [ValueType.i64, .u64, .f64]
    let numbers = [PluginValue.integer(plain: secret)] + types.map { try? $0.value(fromText: secret) }
    var forms = forms(of: secret) + numbers.compactMap { $0 }.flatMap(partForms)
    if let json = try? JSONText(parsing: Array(secret.utf8)), let value = try? PluginValue(readable: json) {
      forms += partForms(of: value)
    }
    patterns.withLock { patterns in
      let known = Set(patterns.map(\.text))
      patterns += Set(forms).subtracting(known).map(SecretPattern.init)
      patterns.sort { ($1.text.utf8.count, $0.text) < ($0.text.utf8.count, $1.text) }
    }
  }

  /// Returns the forms of the parts of a value, which a pipeline may use alone.
  private static func partForms(of value: PluginValue) -> [String] {
    switch value {
    case .string(let text): forms(of: text)
    case .bytes(let bytes): String(validating: bytes, as: UTF8.self).map(forms) ?? []
    case .int, .uint, .double: forms(of: value.json)
    case .array(let elements): elements.flatMap(partForms)
    case .object(let members): members.flatMap { partForms(of: $0.value) }
    case .void, .bool, .pointer, .file: []
    }
  }

  private static func forms(of secret: String) -> [String] {
    guard secret.count >= leastLength else { return [] }
    // Output is reported line by line.
    let lines = secret.split(whereSeparator: \.isNewline)
    let lineForms = lines.count > 1 ? lines.flatMap { forms(of: String($0.drop(while: \.isWhitespace))) } : []
    let encoded = String(PluginValue.bytes(Array(secret.utf8)).json.dropFirst().dropLast())
    return lineForms + ([secret, encoded, secret.singleLine] + digits(of: secret)).filter { !$0.isEmpty }
  }

  /// Returns the digits of base64 that depend on the secret alone, after 0, 1 and 2 other bytes of a group of three.
  /// Leaves out fewer than 8 digits: they are likely to be in the base64 of other bytes, too.
  private static func digits(of secret: String) -> [String] {
    let bytes = Array(secret.utf8)
    return (0..<3).compactMap { offset in
      let digits = PluginValue.bytes([UInt8](repeating: 0, count: offset) + bytes).json.dropFirst().dropLast()
      let first = (offset * 8 + 5) / 6
      let end = (offset + bytes.count) * 8 / 6
      return end - first < 8 ? nil : String(digits.prefix(end).dropFirst(first))
    }
  }

  /// Returns the text with `***` in place of secrets.
  static func apply(_ text: String) -> String {
    let patterns = patterns.withLock { $0 }
    guard !patterns.isEmpty else { return text }
    // Compares bytes: a letter that combines with the last one does not hide the secret from the search.
    let bytes = patterns.reduce(Array(text.utf8)) { $1.replacing(in: $0, with: Array("***".utf8)) }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// Whether a secret is in the text.
  static func isNeeded(in text: String) -> Bool { isNeeded(in: Array(text.utf8)) }

  /// Whether the value contains a secret: in its JSON, which has the digits of numbers, or in its bytes,
  /// because a short secret is not searched for in base64.
  static func isNeeded(in value: PluginValue) -> Bool {
    !patterns.withLock { $0.isEmpty } && (isNeeded(inBytesOf: value) || isNeeded(in: value.json))
  }

  private static func isNeeded(inBytesOf value: PluginValue) -> Bool {
    switch value {
    case .bytes(let bytes): isNeeded(in: bytes)
    case .array(let elements): elements.contains(where: isNeeded(inBytesOf:))
    case .object(let members): members.contains { isNeeded(inBytesOf: $0.value) }
    case .void, .bool, .int, .uint, .double, .string, .pointer, .file: false
    }
  }

  /// Whether a secret is in the bytes, as it is or in another form.
  static func isNeeded(in bytes: [UInt8]) -> Bool {
    patterns.withLock { $0 }.contains { $0.occurs(in: bytes) }
  }
}

extension PluginValue {
  /// The value with `***` in place of secrets. Use before the value becomes text: in JSON within JSON, a secret has a
  /// form that is not searched for.
  var redacted: PluginValue {
    switch self {
    case .string(let text): .string(Redaction.apply(text))
    case .array(let elements): PluginValue.array(elements.map(\.redacted)).redactedWhole
    case .object(let members):
      PluginValue.object(members.map { PluginMember(Redaction.apply($0.name), $0.value.redacted) }).redactedWhole
    case .bytes(let bytes): Redaction.isNeeded(in: bytes) ? .string("***") : self
    case .void, .bool, .int, .uint, .double, .pointer, .file: Redaction.isNeeded(in: json) ? .string("***") : self
    }
  }

  /// The value, or `***` in place of a list or an object whose JSON is a secret or contains one.
  private var redactedWhole: PluginValue { Redaction.isNeeded(in: self) ? .string("***") : self }
}
