/// A chain of operators that run as one subscriber of the engine, the head.
///
///     publisher <-- head [ station > map > station > filter > station > callback ]
///                    ^        ^              ^                   ^
///                  target    node           node                node
///
/// The functions are composed, so a value passes by calls (``StreamSink``). Each `Subscriber` has a station. A station
/// has one consumer: the next operator, or an immediate callback. For a second consumer, or one that the engine has to
/// serve, the station gets a publisher of the engine, and the former consumer becomes the beginning of another line.
///
/// **Turns.** While the head delivers an event, or a thread has entered it (`CellSubscriber.enter`), the line belongs
/// to that thread. Changes are actions: they run in a turn, at once if the head is idle, otherwise after the events
/// that it has accepted. So an action divides the events as subscribing to a publisher does. The lock of the head
/// guards the list of actions; the turns need no lock.
///
/// **Lifetime.** The target is a derived publisher to which nothing is published, except in the line of an operator on
/// a stateful stream (`feedsTarget`). It keeps the head, and the operation of the head keeps the line. The nodes have
/// handles to the target. The line keeps neither nodes nor targets alive.
@safe
class StreamLine {
  private typealias Action = (ordinal: Int, body: (StreamLine) -> Void)

  // Guarded by the lock of the head.
  private var actions: [Action] = []
  /// Whether the head has ended, and no thread runs the remaining actions.
  private var isOver = false

  // Accessed only in turns.
  /// The stations that became a part of another line.
  private var moved: (from: Int, line: StreamLine, target: WeakCell)?
  private var deliveries: UnsafeMutablePointer<Delivery>?
  private var head: CellSubscriber?
  /// Whether the functions must be composed anew.
  final var isStale = false
  /// Whether a station has ended since the functions were composed.
  final var hasEndedPlace = false
  /// Whether the last station publishes to the target: in the line of an operator on a stateful stream.
  final var feedsTarget = false
  /// Whether the head has ended or was unsubscribed, and actions may be left over.
  private var isFinishing = false

  /// Passes an event, which is borrowed, or the end, to the functions.
  func pass(_ state: StoredState) {}
  /// Releases the composed functions, and composes them anew if a station has ended. False if no function is left.
  func recompose() -> Bool { true }

  /// Receives events and the end from the engine, in a turn.
  final func receive(_ input: Stage.Input, _ target: CellPublisher) {
    let head = target.source(0)
    var list = Delivery()
    switch input {
    case .event(let event) where event.isMark: turn(of: head, &list) { performNext(of: head) }
    case .event(let event):
      let state = event.outcome.isRejected ? StoredState.error(event.value) : .value(event.value)
      turn(of: head, &list) { pass(state) }
      event.release()
    case .end:
      turn(of: head, &list) {
        pass(.end)
        isFinishing = true
      }
    }
    list.run()
  }

  /// Runs `body` in a turn: now, or after the accepted events. The caller must keep the target alive.
  final func perform(at ordinal: Int, in target: CellPublisher, _ body: @escaping (StreamLine) -> Void) {
    let head = target.source(0)
    var list = Delivery()
    var isFirst = false
    let entry = head.enter {
      actions.append((ordinal, body))
      isFirst = isOver
      isOver = false
    }
    switch entry {
    case .entered:
      turn(of: head, &list) { performNext(of: head) }
      head.leave(&list)
    case .ended where isFirst: turn(of: head, &list) { isFinishing = true }
    case .queued, .ended: break
    }
    list.run()
  }

  /// Runs `body` on the thread that has the line. Functions of users publish as if outside of any delivery; events that
  /// the line itself publishes are added to the list.
  @inline(__always)
  final func turn(of head: CellSubscriber, _ list: inout Delivery, _ body: () -> Void) {
    unsafe withUnsafeMutablePointer(to: &list) { here in
      self.head = head
      unsafe deliveries = here
      Delivery.callOut {
        body()
        if isStale || hasEndedPlace || isFinishing { finish(head) }
      }
    }
  }

  /// Composes the functions anew after changes. Then, if the head has ended, runs the actions for which no mark is
  /// queued.
  private func finish(_ head: CellSubscriber) {
    while true {
      if isStale || hasEndedPlace, !recompose() {
        // No function is left to call: unsubscribe from the source, unless the source has ended and the operator
        // dropped the end.
        if !isFinishing || !feedsTarget, case .stage(let stage) = head.terms.receiver {
          stage.target.with { _ = CellPublisher($0).end(.cancelled) }
        }
        isFinishing = true
      }
      guard isFinishing else { return }
      // Once `isOver` is set, another thread may take the line.
      let next = head.locked { _ -> Action? in
        guard actions.isEmpty else { return actions.removeFirst() }
        (isOver, isFinishing) = (true, false)
        return nil
      }
      guard let next else { return }
      perform(next)
    }
  }

  private func performNext(of head: CellSubscriber) {
    if let next = head.locked({ _ in actions.isEmpty ? nil : actions.removeFirst() }) { perform(next) }
  }

  private func perform(_ action: Action) {
    guard let moved, action.ordinal >= moved.from else { return action.body(self) }
    moved.target.with { moved.line.perform(at: action.ordinal, in: CellPublisher($0), action.body) }
  }
}

// Operations of stations, in a turn.
extension StreamLine {
  final func publish<Value, Failure>(_ state: StreamState<Value, Failure>, to cell: WeakCell) {
    guard let list = unsafe deliveries else { return }
    cell.with { cell in
      unsafe Delivery.filling(list) {
        if let event = state.stored {
          _ = CellPublisher(cell).publish(event)
        } else {
          _ = CellPublisher(cell).end(.cancelled)
        }
      }
    }
  }

  final func publishToTarget<Value, Failure>(_ state: StreamState<Value, Failure>) {
    guard let head, case .stage(let stage) = head.terms.receiver else { return }
    publish(state, to: stage.target)
  }

  /// Makes the stations from a number on a part of another line, whose source is a publisher of the engine. Returns the
  /// target of that line, with a handle for the caller.
  final func move(from ordinal: Int, to line: StreamLine, of cell: CellPublisher) -> CellPublisher {
    line.moved = moved
    let target = line.begin(at: cell)
    moved = (ordinal, line, WeakCell(target.ref))
    return target
  }

  /// Forgets the line of the stations from a number on, which have been released.
  final func forget(from ordinal: Int) {
    if let moved, moved.from >= ordinal { self.moved = nil }
  }

  /// Subscribes to a publisher of the engine. Returns the target, with a handle for the caller.
  final func begin(at cell: CellPublisher) -> CellPublisher {
    let operation = Stage.Operation.closure { self.receive($0, $1) }
    let entrance = unsafe StreamEntrance(Unmanaged.passUnretained(self).toOpaque())
    let target = cell.derived(by: operation, entrance: entrance)
    guard let target else { fatalError("no memory for a stream") }
    return target
  }
}
