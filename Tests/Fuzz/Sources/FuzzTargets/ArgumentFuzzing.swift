import PluginRuntime

/// Checks that text and JSON are converted to values of a signature's types without loss, or are refused with a
/// message.
enum ArgumentFuzzing {
  /// Converts each line to the type of its parameter.
  static func run(_ bytes: some Sequence<UInt8>, _ convert: (ValueType, String) throws -> PluginValue) {
    let lines = lines(bytes)
    guard let first = lines.first, let signature = try? Signature(parsing: first) else { return }
    for (parameter, text) in zip(signature.inputs, lines.dropFirst()) {
      do {
        check(try convert(parameter.type, text))
      } catch let mismatch as ArgumentMismatch {
        precondition(!mismatch.message.isEmpty, "says nothing: \(text)")
      } catch {
        preconditionFailure("fails with \(error)")
      }
    }
  }

  static func runJSON(_ bytes: some Sequence<UInt8>) {
    run(bytes) { type, text in
      let json: JSONText
      do throws(JSONError) {
        json = try JSONText(parsing: Array(text.utf8))
      } catch {
        precondition(error.offset >= 0 && error.offset <= text.utf8.count, "points outside: \(error)")
        return .void
      }
      if let value = try? PluginValue(untyped: json) { check(value) }
      return try type.value(fromJSON: json)
    }
  }

  private static func lines(_ bytes: some Sequence<UInt8>) -> [String] {
    Array(bytes).split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
      .map { String(decoding: $0, as: UTF8.self) }
  }

  /// Checks that the JSON written for a value parses, and is the same when it is read and written again.
  private static func check(_ value: PluginValue) {
    guard let json = try? JSONText(parsing: Array(value.json.utf8)) else {
      preconditionFailure("is written as no JSON: \(value.json)")
    }
    let read = try? PluginValue(untyped: json)
    precondition(read?.json == value.json, "is another when written and read: \(value.json)")
  }
}
