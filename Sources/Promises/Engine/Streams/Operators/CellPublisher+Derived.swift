import CPlatform

// Publishers made by operators.
//
// Such a publisher owns the subscribers by which it consumes its sources: an array of their indices in `function`, with
// its length in `value.bits`, immutable once the publisher is visible to other threads. Its handles and its subscribers
// keep the publisher alive; when it ends, it cancels the subscriptions to its sources.
extension CellPublisher {
  /// Returns a publisher of the results of an operation on this one's events, with one handle. It is stateful if
  /// `isStateful` says so, if this one is, or if it has a first event. Takes ownership of its arguments; nil when
  /// memory has run out.
  package func derived(
    by operation: Stage.Operation, isStateful: Bool = false, first: StreamEvent? = nil, historyLimit: Int = 0,
    entrance: StreamEntrance? = nil
  ) -> CellPublisher? {
    var state = State(isStateful: isStateful || first != nil || self.isStateful)
    state.latest = first
    state.historyLimit = historyLimit
    guard let target = CellPublisher.derived(state, count: 1) else {
      operation.release()
      first?.value.release()
      return nil
    }
    return target.connect({ _ in operation }, count: 1, entrance: entrance) { _ in self }
  }

  /// Returns a publisher that joins several sources, with one handle. It is stateful if all sources are; without
  /// sources it is cancelled at once. Nil when memory has run out.
  package static func joined(_ sources: (Int) -> CellPublisher, count: Int, _ kind: JoinKind) -> CellPublisher? {
    var state = State(isStateful: count > 0)
    for index in 0..<count where !sources(index).isStateful { state = State(isStateful: false) }
    if kind == .zip { state.zip = Zip(count: count) } else { state.join = Join(count: count, kind) }
    guard state.zip != nil || state.join != nil else { return nil }
    guard let target = derived(state, count: count) else {
      state.join?.free()
      state.zip?.free()
      return nil
    }
    if count == 0 { _ = target.end(.cancelled) }
    let operation: Stage.Operation =
      switch kind {
      case .merge: .pass
      case .combine, .combineToFirstEnd, .combineToLastEnd: .combine
      case .zip: .zip
      }
    return target.connect({ _ in operation }, count: count, sources)
  }

  /// Forwards this one's events to another publisher, and its end by the rule `end`, until the returned subscriber is
  /// cancelled. Nil when memory has run out.
  package func forward(to target: CellPublisher, _ end: Stage.ForwardedEnd) -> CellSubscriber? {
    guard target.retainHandle() == .retained else { return nil }
    // A program that releases its handle twice releases the one retained above. The reference keeps the cell alive even
    // then.
    guard target.ref.retain() else {
      target.releaseHandle()
      return nil
    }
    guard let stage = Stage.make(.forward(target, end), target) else { return nil }
    return subscribe(Subscription(.stage(stage)))
  }

  /// Makes a publisher with space for `count` sources, but none yet. On failure the caller keeps the contents of
  /// `state`.
  static func derived(_ state: State, count: Int) -> CellPublisher? {
    let (size, overflow) = count.multipliedReportingOverflow(by: MemoryLayout<UInt32>.stride)
    guard !overflow, let memory = unsafe malloc(size + 1) else { return nil }
    guard let target = make(state, isDerived: true) else {
      unsafe platform_free(memory)
      return nil
    }
    unsafe target.sources = unsafe memory.assumingMemoryBound(to: UInt32.self)
    return target
  }

  /// Subscribes to the sources with the operation. Takes ownership of the operation; on failure releases the handle.
  func connect(
    _ operation: (Int) -> Stage.Operation, count: Int, entrance: StreamEntrance? = nil,
    _ sources: (Int) -> CellPublisher
  ) -> CellPublisher? {
    for index in 0..<count {
      guard let stage = Stage.make(operation(index), self, index: index, entrance: entrance) else {
        releaseHandle()
        return nil
      }
      var subscription = Subscription(.stage(stage))
      subscription.hasEnd = false
      // Only events that arrive while another thread delivers count. Beyond the capacity nothing is dropped, but the
      // subscriber applies back-pressure.
      subscription.capacity = 64
      guard let subscriber = sources(index).prepare(subscription) else {
        releaseHandle()
        return nil
      }
      unsafe self.sources.unsafelyUnwrapped[index] = subscriber.ref.index
      sourceCount = index + 1
    }
    // A second loop: an event may arrive at once, and must find all subscribers made.
    for index in 0..<count {
      let publisher = sources(index)
      // A callback for a replayed event may release the last handle.
      let isHeld = publisher.ref.retain()
      publisher.add(source(index))
      if isHeld { publisher.ref.release() }
    }
    return self
  }

  /// The subscriber by which it consumes a source.
  func source(_ index: Int) -> CellSubscriber {
    unsafe CellSubscriber(CellRef(index: sources.unsafelyUnwrapped[index]))
  }

  /// Cancels the subscriptions to the sources.
  func leaveSources() {
    for index in 0..<sourceCount { _ = source(index).cancel() }
  }

  func freeSources() {
    for index in 0..<sourceCount { source(index).releaseHandle() }
    unsafe platform_free(sources)
  }
}
