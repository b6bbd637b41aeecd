import CPlatform

/// What an operator's subscriber does with its events: something is published by the operator's publisher, its target.
///
///     source --(list)--> subscriber --(weak)--> target --(list)--> the next subscriber
///            <-----------            <---------        <-----------
///                      keeps                  keeps              keeps
///
/// So a chain lives by its last element. A stage keeps no event: it passes everything on at once, on the thread that
/// published, and events wait at the end alone, by the policy of the subscriber that wants them. When one there is full,
/// the stage's subscriber is, so the first publisher tells its producer.
@safe
package struct Stage {
  let target: WeakCell
  /// Which of the target's sources it is.
  let index: Int
  /// What it does, and what it needs for that: the subscriber's own, whose events come one at a time.
  let operation: UnsafeMutablePointer<Operation>

  package enum Operation {
    case pass
    case transform(Transform)
    case distinct(Distinct)
    case window(Window)
    case fold(Fold)
    /// So many values more.
    case take(UInt64)
    /// A slot of the target's join.
    case combine
    /// To a publisher that others publish to as well, with a handle of it.
    case forward(CellPublisher, passesEndOn: Bool)

    func release() {
      switch self {
      case .transform(let transform): Delivery.callOut { transform.context.release() }
      case .distinct(let distinct): distinct.release()
      case .window(let window): window.release()
      case .fold(let fold): fold.release()
      case .forward(let target, _): target.releaseHandle()
      case .pass, .take, .combine: break
      }
    }
  }

  /// Takes over what the operation has; nil when memory has run out.
  static func make(_ operation: Operation, _ target: CellPublisher, index: Int = 0) -> Stage? {
    guard let memory = unsafe malloc(MemoryLayout<Operation>.size) else {
      operation.release()
      return nil
    }
    let typed = unsafe memory.bindMemory(to: Operation.self, capacity: 1)
    unsafe typed.initialize(to: operation)
    return unsafe Stage(target: WeakCell(target.ref), index: index, operation: typed)
  }

  /// Frees what it has, once its subscriber has ended.
  func release() {
    let operation = unsafe operation.pointee
    unsafe self.operation.deinitialize(count: 1)
    unsafe platform_free(self.operation)
    operation.release()
  }
}

extension Stage {
  /// Takes over the event.
  func receive(_ event: StreamEvent) {
    guard let target = target.strong() else { return event.value.release() }
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
    case .fold where event.outcome.isRejected: _ = target.publish(event)
    case .fold(var fold):
      let (step, value) = fold.fold(event.value)
      unsafe operation.pointee = .fold(fold)
      event.value.release()
      target.take(step, value)
    case .take(let left) where event.outcome.isRejected || left > 1:
      if !event.outcome.isRejected { unsafe operation.pointee = .take(left - 1) }
      _ = target.publish(event)
    case .take:
      _ = target.publish(event)
      _ = target.end(.finished)
    case .combine where event.outcome.isRejected: _ = target.publish(event)
    case .combine: target.combine(event.value, at: index)
    }
  }

  /// The source has ended; the ending is lent. Whether it is the target's business now.
  func end(_ ending: StreamEnding) -> Bool {
    var isTold = true
    target.with { target in
      let target = CellPublisher(target)
      switch unsafe operation.pointee {
      case .transform(let transform): transform.end(ending, target)
      case .forward(_, let passesEndOn):
        isTold = passesEndOn && target.end(ending.copy())
      case .pass, .distinct, .window, .fold, .take, .combine: target.sourceEnded(ending, at: index)
      }
    }
    return isTold
  }
}
