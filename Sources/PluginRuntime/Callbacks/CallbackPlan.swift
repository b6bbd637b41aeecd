/// What a function's calls need to know of its callbacks, worked out once.
final class CallbackPlan: Sendable {
  /// By the index of the parameter.
  let sources: [Int: CallbackSource]
  /// The parameters that may be NULL.
  let optional: Set<Int>
  /// The parameters that are a context.
  let contexts: Set<Int>
  /// The parameters whose callbacks settle the call's promise; `nil` if the function returns its result itself.
  let completion: Set<Int>?
  /// Where callbacks are held that have not ended.
  let registry: CallbackRegistry

  /// What a callback is made of that cannot be made.
  struct Unsupported: Error {}

  /// The plan for a function; `nil` if it has no callbacks.
  static func make(
    _ signature: Signature, domain: String, _ registry: CallbackRegistry
  ) throws(Unsupported) -> CallbackPlan? {
    var sources: [Int: CallbackSource] = [:]
    var contexts: Set<Int> = []
    for (index, parameter) in signature.parameters.enumerated() {
      switch parameter.type.unwrapped {
      case .context: contexts.insert(index)
      case .callback(let type):
        let source = CallbackSource.make(
          type, of: parameter.name, in: "\(domain).\(signature.name)", plugin: domain, log: registry.log)
        guard let source else { throw Unsupported() }
        sources[index] = source
      default: break
      }
    }
    guard !sources.isEmpty || !contexts.isEmpty || signature.completion != nil else { return nil }
    let completion = signature.completion.map { completion in
      Set(signature.parameters.indices.filter { completion.callbacks.contains(signature.parameters[$0].name) })
    }
    let optional = sources.keys.filter { signature.parameters[$0].type.unwrapped != signature.parameters[$0].type }
    return CallbackPlan(sources, Set(optional), contexts, completion, registry)
  }

  private init(
    _ sources: [Int: CallbackSource], _ optional: Set<Int>, _ contexts: Set<Int>, _ completion: Set<Int>?,
    _ registry: CallbackRegistry
  ) {
    self.sources = sources
    self.optional = optional
    self.contexts = contexts
    self.completion = completion
    self.registry = registry
  }
}
