import Promises

/// The ends of workers that the host has reported to another worker, as the reason why an argument or a call by it was
/// rejected: a plugin that passes the reason on is rejected because of it.
///
/// In a worker, and in C, the reason is a text. No worker can say of itself that another one has ended: the host
/// compares the text with those that it has sent.
struct CrossedEnds {
  /// The most that are kept, the latest.
  static let limit = 64

  private var errors: [PluginError] = []

  mutating func note(_ error: PluginError) {
    guard case .workerEnded = error.kind, !errors.contains(error) else { return }
    if errors.count == Self.limit { errors.removeFirst() }
    errors.append(error)
  }

  /// The error that a reason repeats.
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
