import Glibc
import PluginRuntime

/// Reads what an argument's text stands for: the text itself, a file, or standard input.
enum InputReader {
  /// Why a file cannot be an argument.
  struct Problem: Error {
    var message: String
  }

  /// The content of the file at `path` as the value of a parameter that takes text or bytes.
  static func value(ofFile path: String, for parameter: Parameter) throws(Problem) -> PluginValue {
    guard !path.isEmpty else { throw Problem(message: "\"@\" without the path of a file after it") }
    let bytes: [UInt8]
    do {
      bytes = try FileBytes.read(path: path)
    } catch {
      throw Problem(message: "\(path): \(error)")
    }
    return try value(of: bytes, from: path, for: parameter)
  }

  /// All of standard input, likewise.
  static func valueOfStandardInput(for parameter: Parameter) throws(Problem) -> PluginValue {
    let bytes: [UInt8]
    do {
      bytes = try FileBytes.read(descriptor: STDIN_FILENO)
    } catch {
      throw Problem(message: "standard input: \(error)")
    }
    return try value(of: bytes, from: "standard input", for: parameter)
  }

  private static func value(
    of bytes: [UInt8], from source: String, for parameter: Parameter
  ) throws(Problem) -> PluginValue {
    guard parameter.kind == .string else { return .bytes(bytes) }
    guard let text = String(validating: bytes, as: UTF8.self) else {
      throw Problem(message: "\(source) is not UTF-8 text, which \(parameter.name) takes")
    }
    return .string(text)
  }
}
