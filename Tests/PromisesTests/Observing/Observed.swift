import Promises
import PromisesTestSupport
import Testing

/// Tests of state that the whole process shares, so they run one after the other.
@Suite("Observing", .serialized)
enum Observed {
  /// A call of a hook.
  enum Report: Equatable, Sendable {
    case unhandled(id: UInt64, reason: String)
    case again(id: UInt64, PromiseState, value: String)
    case dropped(id: UInt64, callbacks: Int)

    var id: UInt64 {
      switch self {
      case .unhandled(let id, _), .again(let id, _, _), .dropped(let id, _): id
      }
    }
  }

  /// Returns the calls of hooks, while `body` runs, about the promises whose ids `body` returns. Other tests run at the
  /// same time, so that hooks are called about their promises too.
  static func reports(during body: () -> [UInt64]) -> [Report] {
    let recorder = Recorder<Report>()
    PromiseHooks.install(
      PromiseHooks(
        unhandledRejection: { recorder.record(.unhandled(id: $0, reason: "\($1 ?? "nil")")) },
        secondSettlement: { recorder.record(.again(id: $0, $1, value: "\($2 ?? "nil")")) },
        droppedPending: { recorder.record(.dropped(id: $0, callbacks: $1)) }))
    defer { PromiseHooks.install(nil) }
    let ids = body()
    return recorder.events.filter { ids.contains($0.id) }
  }
}
