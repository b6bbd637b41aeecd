import Foundation
import PluginRuntime
import Promises

@testable import plugin_host

/// A library of `examples/adopted`, in a host of its own.
struct AdoptedLibrary {
  let host = Host()
  private let id: String

  init(_ name: String) throws {
    id = try host.adopt(
      try AdoptionFile.read(
        "\(Package.adopted)/\(name).adopt.yaml", trust: FileTrust(acceptsUnsafeFiles: true))
    ).id
  }

  /// Calls a function, and returns its result, or its error as text.
  @discardableResult
  func call(_ function: String, _ arguments: Argument...) async throws -> PluginValue {
    try await withCheckedThrowingContinuation { continuation in
      host.call(function, of: id, arguments).then(
        { continuation.resume(returning: $0) },
        { continuation.resume(throwing: $0 as? any Error ?? Rejection(reason: "\($0 ?? "nothing")")) })
    }
  }

  struct Rejection: Error {
    let reason: String
  }
}

extension Argument {
  static func int(_ number: Int64) -> Argument { .value(.int(number)) }
  static func string(_ text: String) -> Argument { .value(.string(text)) }
  static func named(_ name: String, _ value: PluginValue) -> Argument { Argument(name: name, .value(value)) }
}
