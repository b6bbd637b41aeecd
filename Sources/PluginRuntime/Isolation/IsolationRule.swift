/// The rule for plugins in a worker process: every type in their signatures can cross.
///
/// A `token` cannot: it is an object of the host that C code reads at any time. Everything else can; see
/// `docs/isolation.md`.
enum IsolationRule {
  static func check(_ plugin: PluginDescription) throws(PluginError) {
    for function in plugin.functions {
      for parameter in function.signature.parameters where parameter.type == .token {
        throw PluginError(
          .notIsolated, plugin.path,
          "cannot run in a worker process: \(function.name) takes a token, '\(parameter.name)', which is an object of the "
            + "host. Load it in-process (--isolation in-process), or make the parameter optional: token?")
      }
    }
  }
}
