/// A function of a plugin in a worker, with the parts of its signature that each call needs.
final class RemoteFunction: Sendable {
  let name: String
  /// The index in the description, by which the worker knows the function.
  let number: UInt64
  /// The name with the plugin's id, for errors.
  let subject: String
  let signature: Signature
  /// The error of each call; `nil` if the function can be called.
  let refusal: PluginError?
  private let outputs: [Parameter]

  init(_ function: FunctionDescription, _ number: UInt64, of plugin: String) {
    name = function.name
    self.number = number
    subject = "\(plugin).\(function.name)"
    signature = function.signature
    outputs = function.signature.outputs
    let token = function.signature.parameters.first { $0.type == .token }
    refusal = token.map { [subject] token in
      PluginError(
        .notIsolated, subject,
        "cannot be called in a worker process: it takes a token, '\(token.name)', which is an object of the host. Run the "
          + "plugin in-process (--isolation in-process, plugin-host trust add), or make the parameter optional: token?")
    }
  }

  /// Checks the value that fulfils a call.
  ///
  /// - Throws: `ArgumentMismatch` if the value is not of the type that the signature declares.
  func check(result value: PluginValue) throws(ArgumentMismatch) {
    try signature.check(result: value, outputs: outputs)
  }
}
