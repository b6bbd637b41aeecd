import PluginRuntime
import Synchronization

/// The secrets of this process, which are hidden in all output.
enum Redaction {
  /// The texts that stand for secrets, the longest first: as they are, in JSON, in base64, and on one line.
  private static let texts = Mutex<[String]>([])

  /// Texts with fewer characters are not hidden: they are a part of too many others.
  static let leastLength = 4

  /// Hides a text from now on, the texts and numbers in it if it is JSON, and the number that it may become.
  static func add(secret: String) {
    add(secret)
    for type in [ValueType.i64, .u64, .f64] {
      if let number = try? type.value(fromText: secret) { add(partsOf: number) }
    }
    if let json = try? JSONText(parsing: Array(secret.utf8)), let value = try? PluginValue(untyped: json) {
      add(partsOf: value)
    }
  }

  /// Hides the parts of a value, by which a pipeline may take it apart.
  private static func add(partsOf value: PluginValue) {
    switch value {
    case .string(let text): add(text)
    case .bytes(let bytes): if let text = String(validating: bytes, as: UTF8.self) { add(text) }
    case .int, .uint, .double: add(value.json)
    case .array(let elements): for element in elements { add(partsOf: element) }
    case .object(let members): for member in members { add(partsOf: member.value) }
    case .void, .bool, .pointer: break
    }
  }

  private static func add(_ secret: String) {
    guard secret.count >= leastLength else { return }
    let quoted = String(PluginValue.string(secret).json.dropFirst().dropLast())
    let encoded = String(PluginValue.bytes(Array(secret.utf8)).json.dropFirst().dropLast())
    let forms = [secret, quoted, encoded, secret.singleLine].filter { !$0.isEmpty }
    texts.withLock { texts in
      texts = Set(texts + forms).sorted { ($1.utf8.count, $0) < ($0.utf8.count, $1) }
    }
  }

  /// The text with `***` in place of secrets.
  static func apply(_ text: String) -> String {
    let texts = texts.withLock { $0 }
    guard !texts.isEmpty else { return text }
    // Compares bytes: a letter that combines with the last one does not hide the secret from the search.
    let bytes = texts.reduce(Array(text.utf8)) { $0.replacing(Array($1.utf8), with: Array("***".utf8)) }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// Whether a secret is in the text.
  static func isNeeded(in text: String) -> Bool { isNeeded(in: Array(text.utf8)) }

  /// Whether the value's JSON contains a secret: the digits of a number are not in the bytes of the value.
  static func isNeeded(in value: PluginValue) -> Bool {
    !texts.withLock { $0.isEmpty } && isNeeded(in: value.json)
  }

  /// Whether a secret is in the bytes, as it is or in another form.
  static func isNeeded(in bytes: [UInt8]) -> Bool {
    let texts = texts.withLock { $0 }
    return !texts.isEmpty && texts.contains { bytes.contains(Array($0.utf8)) }
  }
}

extension PluginValue {
  /// The value with `***` in place of secrets. Called before the value becomes text: JSON within JSON would change a
  /// secret's form once more.
  var redacted: PluginValue {
    switch self {
    case .string(let text): .string(Redaction.apply(text))
    case .array(let elements): PluginValue.array(elements.map(\.redacted)).redactedWhole
    case .object(let members):
      PluginValue.object(members.map { PluginMember(Redaction.apply($0.name), $0.value.redacted) }).redactedWhole
    case .bytes(let bytes): Redaction.isNeeded(in: bytes) ? .string("***") : self
    case .void, .bool, .int, .uint, .double, .pointer: Redaction.isNeeded(in: json) ? .string("***") : self
    }
  }

  /// `***` in place of a list or an object whose JSON is a secret, or has one in it.
  private var redactedWhole: PluginValue { Redaction.isNeeded(in: self) ? .string("***") : self }
}
