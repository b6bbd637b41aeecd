/// The error of a misused callback. A class, so that a CallFault is one word.
final class CallbackFault: Sendable {
  let error: PluginError
  init(_ error: PluginError) { self.error = error }
}
