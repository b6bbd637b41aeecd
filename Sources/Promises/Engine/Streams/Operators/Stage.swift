import CPlatform

/// The receiver of an operator's subscriber: it publishes to the operator's publisher, the target.
///
///     source --(list)--> subscriber --(weak)--> target --(list)--> the next subscriber
///            <-----------            <---------        <-----------
///                      keeps                  keeps              keeps
///
/// So a chain is kept alive by its last element. A stage does not buffer: it publishes downstream at once, on the
/// publishing thread. Events are queued only at the end of the chain, by the policy of the consuming subscriber. When
/// that subscriber is full, so is the stage's, and thus the back-pressure reaches the first publisher and its producer.
@safe
package struct Stage {
  let target: WeakCell
  /// The index of the stage's source among the target's sources.
  let index: Int
  /// The operation and its state. Not thread-safe: only the subscriber uses it, which gets one event at a time.
  let operation: UnsafeMutablePointer<Operation>
  /// The object for which publishers may enter the subscriber (`enterOnlySubscriber`); nil: they may not.
  let entrance: StreamEntrance?

  @safe
  package enum Operation {
    case pass
    case transform(Transform)
    case distinct(Distinct)
    case window(Window)
    case group(Grouping)
    case fold(Fold)
    /// The number of values left.
    case take(UInt64)
    /// Updates a slot of the target's join.
    case combine
    /// Adds to the target's zip.
    case zip
    /// Publishes at the times of the target's pacing, which has this clock and keeps it. With `passesErrors`, an error
    /// publishes the pending event, then passes at once.
    case pace(PacingClock, passesErrors: Bool)
    /// Adds to the target's flattening.
    case flatten
    /// Publishes for an inner stream of the target's flattening, with its number, and keeps the owner of that stream.
    case inner(UnsafeMutablePointer<InnerStreams.Inner>, UInt64, Context)
    /// Forwards to an ordinary publisher, with a handle and a reference to it.
    case forward(CellPublisher, ForwardedEnd)
    /// An operator of the typed layer.
    case closure(Function)

    func release() {
      switch self {
      case .transform(let transform): Delivery.callOut { transform.context.release() }
      case .distinct(let distinct): distinct.release()
      case .window(let window): window.release()
      case .group(let group): group.release()
      case .fold(let fold): fold.release()
      case .forward(let target, _):
        target.releaseHandle()
        target.ref.release()
      case .inner(_, _, let owner): Delivery.callOut { owner.release() }
      case .pass, .take, .combine, .zip, .pace, .flatten, .closure: break
      }
    }
  }

  /// An event, which the function owns, or the end, which it borrows.
  package enum Input {
    case event(StreamEvent)
    case end(StreamEnding)
  }

  /// May publish to the target, also after it has returned. Must run user code in `Delivery.callOut`.
  package typealias Function = (Input, CellPublisher) -> Void

  /// The effect of the end of a stream that is forwarded.
  package enum ForwardedEnd {
    case ignored
    case endsTarget
    /// Ends the current subscribers; the target stays open.
    case endsSubscribers
  }

  /// Takes ownership of the operation's references; nil when memory has run out.
  static func make(
    _ operation: Operation, _ target: CellPublisher, index: Int = 0, entrance: StreamEntrance? = nil
  ) -> Stage? {
    guard let memory = unsafe malloc(MemoryLayout<Operation>.size) else {
      operation.release()
      return nil
    }
    let typed = unsafe memory.bindMemory(to: Operation.self, capacity: 1)
    unsafe typed.initialize(to: operation)
    return unsafe Stage(target: WeakCell(target.ref), index: index, operation: typed, entrance: entrance)
  }

  /// Frees the operation, once its subscriber has ended.
  func release() {
    let operation = unsafe operation.pointee
    unsafe self.operation.deinitialize(count: 1)
    unsafe platform_free(self.operation)
    operation.release()
  }
}

extension Stage {
  /// Takes ownership of the event.
  func receive(_ event: StreamEvent) {
    guard !event.isBarrier, let target = target.strong() else { return event.value.release() }
    receive(event, CellPublisher(target))
    target.release()
  }

  private func receive(_ event: StreamEvent, _ target: CellPublisher) {
    switch unsafe operation.pointee {
    case .pass, .forward: _ = target.publish(event)
    case .transform(let transform): transform.receive(event, target)
    case .distinct(var distinct):
      let isNew = distinct.note(event)
      unsafe operation.pointee = .distinct(distinct)
      if isNew { _ = target.publish(event) } else { event.value.release() }
    case .window(var window):
      let published = window.note(event)
      unsafe operation.pointee = .window(window)
      if let published { _ = target.publish(published) }
    case .group(var group):
      let published = group.note(event)
      unsafe operation.pointee = .group(group)
      if let published { _ = target.publish(published) }
    case .fold where event.outcome.isRejected: _ = target.publish(event)
    case .fold(var fold):
      let (step, value) = fold.fold(event.value)
      unsafe operation.pointee = .fold(fold)
      event.value.release()
      if step == .finish { fold.finish(target) }
      target.take(step, value)
    case .take(let left) where event.outcome.isRejected || left > 1:
      if !event.outcome.isRejected { unsafe operation.pointee = .take(left - 1) }
      _ = target.publish(event)
    case .take:
      _ = target.publish(event)
      _ = target.end(.finished)
    case .combine where event.outcome.isRejected: _ = target.publish(event)
    case .combine: target.combine(event.value, at: index)
    case .zip where event.outcome.isRejected: _ = target.publish(event)
    case .zip: target.zip(event.value, at: index)
    case .pace(_, passesErrors: true) where event.outcome.isRejected:
      target.flushPacing()
      _ = target.publish(event)
    case .pace(let clock, _): target.pace(event, clock)
    case .flatten where event.outcome.isRejected: _ = target.publish(event)
    case .flatten: target.flatten(event)
    case .inner(let inner, let number, _): unsafe target.publish(event, of: inner, number)
    case .closure(let function): function(.event(event), target)
    }
  }

  /// Handles the end of the source; the ending is borrowed. True if the ending was propagated to the target.
  func end(_ ending: StreamEnding) -> Bool {
    var isReported = true
    target.with { target in
      let target = CellPublisher(target)
      switch unsafe operation.pointee {
      case .transform(let transform): transform.end(ending, target)
      case .closure(let function): function(.end(ending), target)
      case .group(var group):
        let rest = group.rest()
        unsafe operation.pointee = .group(group)
        if let rest { _ = target.publish(rest) }
        target.sourceEnded(ending, at: index)
      case .pace:
        target.flushPacing()
        target.sourceEnded(ending, at: index)
      case .fold(let fold):
        if ending.isFinished { fold.finish(target) }
        target.sourceEnded(ending, at: index)
      case .zip: target.zipSourceEnded(ending, at: index)
      case .flatten: target.flattenedSourceEnded(ending)
      case .inner(let inner, let number, _): unsafe target.innerEnded(ending, inner, number)
      case .forward(_, .ignored): isReported = false
      case .forward(_, .endsTarget): isReported = target.end(ending.copy())
      case .forward(_, .endsSubscribers): target.endSubscribers(ending)
      case .pass, .distinct, .window, .take, .combine: target.sourceEnded(ending, at: index)
      }
    }
    return isReported
  }
}
