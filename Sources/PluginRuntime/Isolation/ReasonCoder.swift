import Promises

/// Converts the reasons of rejections to values for frames and back.
enum ReasonCoder {
  /// Returns a reason as a value: an array of its form and its parts. A Swift value without a form becomes the text
  /// that describes it.
  static func encode(_ reason: Any?) -> PluginValue {
    switch reason {
    case nil: .array([.string("none")])
    case is Discarded: .array([.string("discarded")])
    case let error as PluginError: .array([.string("plugin"), error.value])
    case let error as PromiseError: .array([.string("error"), encode(error), .array(error.causes.map(encode))])
    case let thrown as ThrownReason: .array([.string("thrown"), .uint(thrown.number), .string(thrown.text)])
    case let value as PluginValue: .array([.string("value"), value])
    case let value as String: .array([.string("value"), .string(value)])
    case let value as Bool: .array([.string("value"), .bool(value)])
    case let value as Int: .array([.string("value"), .int(Int64(value))])
    case let value as Int64: .array([.string("value"), .int(value)])
    case let value as UInt: .array([.string("value"), .uint(UInt64(value))])
    case let value as Double: .array([.string("value"), .double(value)])
    // An empty array of any type can be cast to [UInt8].
    case let value as [UInt8] where type(of: reason!) == [UInt8].self: .array([.string("value"), .bytes(value)])
    case let value as [Any]: .array([.string("collection"), PluginValue(reason: value)])
    case let value as [String: Any]: .array([.string("collection"), PluginValue(reason: value)])
    case .some(let other): .array([.string("text"), .string("\(other)")])
    }
  }

  /// Reads a reason that `encode` wrote.
  ///
  /// - Throws: `FrameError` if it is malformed.
  static func decode(_ value: PluginValue) throws(FrameError) -> Any? {
    guard case .array(let parts) = value, case .string(let form)? = parts.first else { throw malformed }
    switch (form, parts.count) {
    case ("none", 1): return nil
    case ("discarded", 1): return Discarded.discarded
    case ("plugin", 2):
      guard let error = PluginError(parts[1]) else { throw malformed }
      return error
    case ("error", 3):
      guard var error = promiseError(parts[1]), case .array(let causes) = parts[2] else { throw malformed }
      error.causes = causes.compactMap(promiseError)
      return error
    case ("thrown", 3):
      guard case .uint(let number) = parts[1], case .string(let text) = parts[2] else { throw malformed }
      return ThrownReason(number: number, text: text)
    case ("value", 2): return plain(parts[1])
    case ("collection", 2): return collection(parts[1])
    case ("text", 2):
      guard case .string(let text) = parts[1] else { throw malformed }
      return text
    default: throw malformed
    }
  }

  private static var malformed: FrameError { FrameError(description: "a reason of an unknown form") }

  private static func encode(_ error: PromiseError) -> PluginValue {
    let origin: PluginValue = error.origin.map { .string($0) } ?? .void
    return .array([.string(error.domain), .int(error.code), .string(error.message), origin])
  }

  private static func promiseError(_ value: PluginValue) -> PromiseError? {
    guard case .array(let parts) = value, parts.count == 4, case .string(let domain) = parts[0],
      case .int(let code) = parts[1], case .string(let message) = parts[2]
    else { return nil }
    var error = PromiseError(domain: domain, code: code, message: message)
    if case .string(let origin) = parts[3] { error.origin = origin }
    return error
  }

  /// Returns the Swift value that an array or a map of C, or an element of one, converts to.
  private static func collection(_ value: PluginValue) -> Any {
    switch value {
    case .array(let elements): elements.map(collection) as [Any]
    case .object(let members):
      Dictionary(members.map { ($0.name, collection($0.value)) }) { first, _ in first } as [String: Any]
    default: plain(value) ?? ()
    }
  }

  /// Returns the Swift value that a reason of C converts to.
  private static func plain(_ value: PluginValue) -> Any? {
    switch value {
    case .void: nil
    case .bool(let value): value
    case .int(let value): Int(value)
    case .uint(let value): UInt(value)
    case .double(let value): value
    case .string(let value): value
    case .bytes(let value): value
    case .pointer, .file, .array, .object: value
    }
  }
}

/// An error that a callback threw in the host, while it passes through the worker: the host keeps the error itself
/// under this number.
struct ThrownReason: Error, Equatable, CustomStringConvertible {
  let number: UInt64
  let text: String

  var description: String { text }
}
