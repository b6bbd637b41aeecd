import CPlatform

// A publisher of a promise does not observe the promise itself, but a follower that it makes for it. The publisher owns
// a reference to the follower, and the observer a weak one to the publisher. So the publisher counts as interest, like
// a derived promise. With neither handles nor subscribers it discards the follower, which detaches it. A subscriber
// that gets the end handles the follower's rejection.
extension CellPublisher {
  /// Returns a stateful publisher of one event, the promise's value, followed by the end, with one handle. Nil when
  /// memory has run out.
  package static func of(_ promise: CellRef) -> CellPublisher? {
    guard let follower = promise.follower() else { return nil }
    var state = State(isStateful: true)
    state.follower = follower
    guard let target = make(state, isDerived: true) else {
      follower.release()
      return nil
    }
    let isObserved = unsafe follower.observe(
      { context, value in
        let value = unsafe value.load(as: CellValue.self)
        unsafe WeakCell(context: context).with { target in
          let target = CellPublisher(target)
          let kept = value.retain() ? value : Fault.tooManyReferences.value
          _ = target.publish(StreamEvent(kept, .fulfilled))
          _ = target.end(.finished)
        }
      },
      { context, reason in
        let reason = unsafe reason.load(as: CellValue.self)
        unsafe WeakCell(context: context).with { _ = CellPublisher($0).end(StreamEnding.failed(reason).copy()) }
      }, Context(WeakCell(target.ref).context, nil), rejections: .ignored)
    if isObserved { return target }
    target.releaseHandle()
    return nil
  }

  /// Detaches from the promise. A cancel request that this interest held back propagates, and its handlers run.
  func leavePromise(_ follower: CellRef) {
    Delivery.callOut { _ = follower.discard() }
    follower.release()
  }
}
