import CPromise

/// The callbacks of a function's parameters, computed once and shared by all calls.
final class CallbackPlan: Sendable {
  /// The role of a parameter.
  enum Role: Sendable {
    case context
    /// The caller's callback; it may be NULL only if it is optional.
    case closure(CallbackSource, isOptional: Bool)
    /// A callback that settles the call's promise.
    case completion(CallbackSource)
  }

  /// The role of each parameter; `nil` for one that is neither a callback nor a context.
  let roles: [Role?]
  /// Whether callbacks settle the call's promise.
  let completes: Bool
  /// Holds the callbacks that have not ended.
  let registry: CallbackRegistry

  /// The error for a callback that this machine cannot make.
  struct Unsupported: Error {}

  /// Makes the plan of a function; `nil` if it has no callbacks.
  init?(_ signature: Signature, domain: String, _ registry: CallbackRegistry) throws(Unsupported) {
    var roles: [Role?] = []
    for parameter in signature.parameters {
      switch parameter.type.unwrapped {
      case .context: roles.append(.context)
      case .callback(let type):
        let source = CallbackSource(
          type, of: parameter.name, in: "\(domain).\(signature.name)", plugin: domain, log: registry.log)
        guard let source else { throw Unsupported() }
        let settles = signature.completion?.callbacks.contains(parameter.name) ?? false
        roles.append(settles ? .completion(source) : .closure(source, isOptional: parameter.type.isOptional))
      default: roles.append(nil)
      }
    }
    guard roles.contains(where: { $0 != nil }) else { return nil }
    self.roles = roles
    completes = signature.completion != nil
    self.registry = registry
  }
}
