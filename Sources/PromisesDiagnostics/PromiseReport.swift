public import Promises

/// A report of misuse: a rejection that nothing handled, a second settlement, a promise dropped while pending.
public struct PromiseReport: Sendable {
  /// The kind of misuse. Values and reasons are texts: their `String(describing:)`.
  public enum Kind: Sendable, Equatable {
    /// A rejected promise was destroyed, and nothing handled its rejection.
    case unhandledRejection(reason: String)
    /// A settled promise was settled again; the value or reason is dropped.
    case secondSettlement(PromiseState, value: String)
    /// A promise was destroyed while pending; its callbacks never run.
    case droppedPending(callbacks: Int)
  }

  /// The kind of misuse.
  public let kind: Kind
  /// The number of the promise, as `Future.id`.
  public let id: UInt64
  /// The name and the place of creation; `nil` if neither was recorded.
  public let origin: PromiseOrigin?

  /// This report, with the place of its origin read: each reading of an unread place may take a second.
  package var resolved: PromiseReport { PromiseReport(kind: kind, id: id, origin: origin?.resolved) }
}

extension PromiseReport: CustomStringConvertible {
  /// The report in one sentence.
  public var description: String {
    let origin = origin.map { "\($0)" } ?? ""
    let subject = "promise 0x\(String(id, radix: 16))" + (origin.isEmpty ? "" : " \(origin)")
    switch kind {
    case .unhandledRejection(let reason): return "\(subject): rejected, and nothing handled it: \(reason)"
    case .secondSettlement(let state, let value): return "\(subject): settled again, \(state), with \(value)"
    case .droppedPending(let callbacks):
      return "\(subject): destroyed while pending, with \(callbacks) callback\(callbacks == 1 ? "" : "s")"
    }
  }
}
