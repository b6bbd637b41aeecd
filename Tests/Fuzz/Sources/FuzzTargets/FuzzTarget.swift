import PluginRuntime

/// The functions that are fuzzed. Each takes any bytes; where something is that must not be, the process ends.
public enum FuzzTarget: String, CaseIterable, Sendable {
  /// The text of a signature.
  case signature
  /// A signature, then a line for each of its arguments, as text.
  case arguments
  /// A signature, then a line for each of its arguments, as JSON.
  case json

  /// The one that this process fuzzes. Set before the fuzzer begins.
  public nonisolated(unsafe) static var chosen = FuzzTarget.signature

  /// Runs the target once.
  public func run(_ bytes: some Sequence<UInt8>) {
    switch self {
    case .signature: SignatureFuzzing.run(bytes)
    case .arguments: ArgumentFuzzing.run(bytes) { try $0.value(fromText: $1) }
    case .json: ArgumentFuzzing.runJSON(bytes)
    }
  }
}
