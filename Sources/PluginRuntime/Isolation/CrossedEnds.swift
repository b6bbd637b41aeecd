import Promises

/// The ends of workers that the host has reported to another worker, as reasons why an argument of that worker, or a
/// call made by it, was rejected. A call that the plugin then rejects with such a reason depends on the ended worker.
///
/// In a worker, and in C, the reason is a text, and a worker could make up the end of another one. So the host compares
/// the text with those that it has sent.
struct CrossedEnds {
  /// The maximum number of ends that are kept; the oldest are dropped.
  static let limit = 64

  private var errors: [PluginError] = []

  mutating func note(_ error: PluginError) {
    guard case .workerEnded = error.kind, !errors.contains(error) else { return }
    if errors.count == Self.limit { errors.removeFirst() }
    errors.append(error)
  }

  /// Returns the error that a reason repeats; `nil` if it repeats none.
  func error(behind reason: Any?) -> PluginError? {
    guard !errors.isEmpty else { return nil }
    switch reason {
    case let reason as PromiseError: return errors.last { $0.description == reason.message }
    case let reason as PluginError:
      return errors.last { $0.subject == reason.subject && $0.message == reason.message }
    default: return nil
    }
  }
}
