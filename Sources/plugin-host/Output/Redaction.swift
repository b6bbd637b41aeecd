import PluginRuntime
import Synchronization

/// The secrets of this process, which are hidden in all output.
enum Redaction {
  /// The texts that stand for secrets, the longest first: as they are, in JSON, in base64, and on one line.
  private static let texts = Mutex<[String]>([])

  /// Hides a text from now on.
  static func add(secret: String) {
    guard !secret.isEmpty else { return }
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
    case .array(let elements): .array(elements.map(\.redacted))
    case .object(let members): .object(members.map { PluginMember(Redaction.apply($0.name), $0.value.redacted) })
    case .bytes(let bytes): Redaction.isNeeded(in: bytes) ? .string("***") : self
    case .void, .bool, .int, .uint, .double, .pointer: Redaction.isNeeded(in: json) ? .string("***") : self
    }
  }
}
