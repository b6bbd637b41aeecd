/// A line with its types: the first station, and the composed functions.
final class StreamHead<Value, Failure>: StreamLine {
  private let station: StreamStation<Value, Failure>
  /// Whether a subscriber has the first station.
  private let isNamed: Bool
  private var sink: StreamSink<Value, Failure>?

  init(_ station: StreamStation<Value, Failure>, isNamed: Bool) {
    self.station = station
    self.isNamed = isNamed
  }

  /// The composed functions.
  private var composed: StreamSink<Value, Failure> {
    if let sink { return sink }
    let made = station.sink(in: self) ?? StreamSink { _ in }
    sink = made
    return made
  }

  override func pass(_ state: StoredState) { composed.take(state.state()) }

  override func recompose() -> Bool {
    sink = nil
    isStale = false
    // Otherwise the next state composes the functions, so that building a chain does not compose it once for each
    // operator.
    guard hasEndedPlace else { return true }
    hasEndedPlace = false
    sink = station.sink(in: self)
    return sink != nil && (isNamed || !station.isUnused)
  }

  /// Passes a value in the turn of a thread that publishes it.
  func pass(_ value: Value, entering head: CellSubscriber) {
    var list = Delivery()
    turn(of: head, &list) { composed.value(value) }
    head.leave(&list)
    list.run()
  }
}

extension Publisher {
  /// Passes a value to the only line of the publisher without storing it; false if it has to be published as an event.
  func pass(_ value: Value) -> Bool {
    guard let head = cell.enterOnlySubscriber(), let entrance = head.entrance else { return false }
    let line = unsafe Unmanaged<StreamLine>.fromOpaque(entrance.object).takeUnretainedValue()
    // Sound: the only subscribers with an entrance are lines that `subscriber()` began.
    unsafe unsafeDowncast(line, to: StreamHead<Value, Failure>.self).pass(value, entering: head)
    return true
  }
}
