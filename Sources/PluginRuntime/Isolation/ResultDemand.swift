import Promises
import Synchronization

/// The interest in the result of a call, on behalf of its promise: whether somebody reads it, and whether its worker
/// keeps it. Destroyed with the promise, or once that is settled.
///
///     none --a reader comes--> read            the worker sends the result, or is asked to at once
///       \--the worker keeps it--> kept --a reader comes--> read     the result is fetched
///                                   \--destroyed                    the worker drops it
final class ResultDemand: Sendable {
  private enum State: UInt8 { case none, read, kept }

  private let state = Atomic<UInt8>(State.none.rawValue)
  // Written before the call is sent. Read in the state `kept`, which the answer leads to, and for a promise that was
  // returned after that.
  @exclusivity(unchecked) nonisolated(unsafe) private var link: WorkerLink?
  @exclusivity(unchecked) nonisolated(unsafe) private var request: UInt64 = 0
  @exclusivity(unchecked) nonisolated(unsafe) private var grace = Duration.zero

  // Not on this thread: the last reference to the promise may be released with a lock held.
  deinit {
    guard state.load(ordering: .acquiring) == State.kept.rawValue else { return }
    WorkerLink.deliveries.run { [link, request] in link?.drop(request) }
  }

  /// Notes the call, before it is sent. Its worker is killed if it is discarded and has not ended after `grace`.
  func bind(_ link: WorkerLink, _ request: UInt64, grace: Duration) {
    (self.link, self.request, self.grace) = (link, request, grace)
  }

  /// Returns the promise of a call that is bound before anybody gets the promise. The worker is asked for the result
  /// when the promise has a reader, and to stop the call when it is discarded; requests to cancel are passed on.
  static func promise() -> (Promise<PluginValue>, ResultDemand) {
    let demand = ResultDemand()
    return (demand.promise(discard: { demand.discard() }, requestCancel: { demand.requestCancel() }), demand)
  }

  /// Returns the promise of a call that may be bound later. `discard` is its discard block; `requestCancel` runs within
  /// a request to cancel it.
  static func promise(
    discard: @escaping @Sendable () -> Void, requestCancel: @escaping @Sendable () -> Void
  ) -> (Promise<PluginValue>, ResultDemand) {
    let demand = ResultDemand()
    return (demand.promise(discard: discard, requestCancel: requestCancel), demand)
  }

  private func promise(
    discard: @escaping @Sendable () -> Void, requestCancel: @escaping @Sendable () -> Void
  ) -> Promise<PluginValue> {
    let block = DemandBlock(discard: discard, requestCancel: requestCancel, read: { self.read($0) })
    guard let cell = CellRef.onDemand(block) else { fatalError("no memory for a promise") }
    return Promise(cell: cell)
  }

  private func discard() { link?.cancel(request, grace: grace) }

  private func requestCancel() { link?.requestCancel(request) }

  private func read(_ cell: CellRef) {
    if advance(from: .none, to: .read) { return }
    guard advance(from: .kept, to: .read), cell.retain() else { return }
    link?.fetch(request, for: Promise(cell: cell))
  }

  /// Notes that the worker keeps the result. Call it after the link has noted it. Returns false if a reader waits
  /// already: then the caller must fetch the result.
  func keep() -> Bool { advance(from: .none, to: .kept) }

  private func advance(from old: State, to new: State) -> Bool {
    state.compareExchange(expected: old.rawValue, desired: new.rawValue, ordering: .acquiringAndReleasing).exchanged
  }
}
