/// An error with a domain, a code and a message: the Swift form of an ERROR of the C ABI.
///
/// This library also rejects promises with such errors: their domain is "promise", and the code a `promise_status_t`.
public struct PromiseError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The namespace of the code. C reads it as a string that ends with NUL, so it is cut at the first one.
  public var domain: String { didSet { domain = domain.beforeNUL } }
  /// The error's number within its domain.
  public var code: Int64
  /// The error's text for people.
  public var message: String
  /// The source location, function or plugin that made the error; `nil` if unknown. Cut as `domain` is; `nil` if empty.
  public var origin: String? { didSet { origin = origin?.beforeNUL.nonempty } }
  /// The errors that led to this one, the nearest first. Their own `causes` are empty: deeper causes follow in this
  /// list, also when a cause is added that has causes of its own.
  public var causes: [PromiseError] { didSet { flattenCauses() } }

  /// Creates an error from its parts.
  public init(domain: String, code: Int64, message: String, origin: String? = nil, causes: [PromiseError] = []) {
    self.domain = domain.beforeNUL
    self.code = code
    self.message = message
    self.origin = origin?.beforeNUL.nonempty
    self.causes = causes
    flattenCauses()
  }

  /// Moves the causes of each cause behind it, as an ERROR of the engine has them.
  private mutating func flattenCauses() {
    guard causes.contains(where: { !$0.causes.isEmpty }) else { return }
    causes = causes.flatMap { cause in
      var own = cause
      own.causes = []
      return [own] + cause.causes
    }
  }

  /// The message with domain and code, followed by those of the causes.
  public var description: String {
    causes.reduce(into: "\(message) (\(domain) \(code))") { $0 += ", because of: \($1)" }
  }
}

extension String {
  fileprivate var beforeNUL: String { utf8.firstIndex(of: 0).map { String(self[..<$0]) } ?? self }
  fileprivate var nonempty: String? { isEmpty ? nil : self }
}
