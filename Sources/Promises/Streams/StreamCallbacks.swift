import Synchronization

/// The callbacks of one subscriber in one context. They share a subscriber of the engine, so all get one state before
/// any gets the next, in the order in which they were added.
///
/// `callbacks` and `newcomer` are accessed in the turns of that subscriber, and under its lock while it is idle.
final class StreamCallbacks: Sendable {
  private struct Entry {
    let kinds: StreamKinds
    let callback: StreamCallback
  }

  /// A callback that is admitted when its barrier arrives. The next states are for this callback alone: those that the
  /// stream remembered.
  private struct Newcomer {
    let entry: Entry
    var left: Int
  }

  nonisolated(unsafe) private var callbacks: [Entry] = []
  nonisolated(unsafe) private var newcomer: Newcomer?
  private let isSilent = Atomic<Bool>(false)

  /// Registers the types of barriers, which are made with locks held.
  init() { CellValue.registerSwiftTypes() }

  /// Silences the callbacks, also those whose turn has begun.
  func silence() { isSilent.store(true, ordering: .releasing) }

  /// Adds a callback for the states from now on. False if the subscriber has ended.
  func add(
    _ kinds: StreamKinds, _ callback: @escaping StreamCallback, to subscriber: CellSubscriber, of cell: CellPublisher
  ) -> Bool {
    let entry = Entry(kinds: kinds, callback: callback)
    return cell.share(subscriber, kinds.events) { admission in
      switch admission {
      case .idle(let replayed):
        admit(Newcomer(entry: entry, left: replayed))
        return nil
      case .busy(let replayed): return .barrier(.encoding(Newcomer(entry: entry, left: replayed)))
      }
    }
  }

  private func admit(_ newcomer: Newcomer) {
    if newcomer.left > 0 { unsafe self.newcomer = newcomer } else { unsafe callbacks.append(newcomer.entry) }
  }

  /// Calls the callbacks for a state.
  func receive(_ state: StoredState) {
    switch state {
    case .value: call(.data, state)
    case .error(let value):
      if let newcomer = value.decoded(as: Newcomer.self) { admit(newcomer) } else { call(.errors, state) }
    case .end: call(.end, state)
    }
  }

  private func call(_ kind: StreamKinds, _ state: StoredState) {
    if var newcomer = unsafe newcomer {
      newcomer.left -= 1
      unsafe self.newcomer = nil
      admit(newcomer)
      if !isSilent.load(ordering: .acquiring) { newcomer.entry.callback(state) }
      return
    }
    for entry in unsafe callbacks where entry.kinds.contains(kind) {
      // A callback may release the subscriber.
      if isSilent.load(ordering: .acquiring) { return }
      entry.callback(state)
    }
  }
}
