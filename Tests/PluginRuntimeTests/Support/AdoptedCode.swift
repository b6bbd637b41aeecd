import PluginRuntime
import Testing

extension Host {
  /// Returns a host that has adopted a library of this source, under the id "test.code".
  static func adopting(_ source: String, _ signatures: String...) throws -> Host {
    let host = Host()
    try host.adopt(
      Adoption(
        id: "test.code", library: try Fixture.library("code", from: source, by: "cc"),
        functions: try signatures.map { Adoption.Function(signature: try Signature(parsing: $0)) }))
    return host
  }

  /// Returns the value of a call of such a library.
  func value(_ function: String, _ arguments: Argument...) async throws -> PluginValue {
    let outcome = await outcome(function, of: "test.code", arguments)
    return try #require(outcome.value, "\(String(describing: outcome.pluginError))")
  }
}
