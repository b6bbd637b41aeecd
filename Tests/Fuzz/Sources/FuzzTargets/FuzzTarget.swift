import PluginRuntime

/// The fuzzed functions. Each accepts any bytes, and ends the process if a check fails.
public enum FuzzTarget: String, CaseIterable, Sendable {
  /// The text of a signature.
  case signature
  /// A signature, then a line for each of its arguments, as text.
  case arguments
  /// A signature, then a line for each of its arguments, as JSON.
  case json
  /// The file of a shared library, which is verified.
  case library

  /// The target that this process fuzzes. Set it before the fuzzer starts.
  public nonisolated(unsafe) static var chosen = FuzzTarget.signature

  /// Runs the target once.
  public func run(_ bytes: some Sequence<UInt8>) {
    switch self {
    case .signature: SignatureFuzzing.run(bytes)
    case .arguments: ArgumentFuzzing.run(bytes) { try $0.value(fromText: $1) }
    case .json: ArgumentFuzzing.runJSON(bytes)
    case .library: LibraryFuzzing.run(bytes)
    }
  }
}
