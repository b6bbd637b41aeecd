/// How somebody subscribes.
@safe
package struct Subscription {
  package var receiver: Receiver
  package var overflow = Overflow.buffer
  /// How many events are kept for a receiver that is slow, or how many make it full; 0: any number, for `buffer`.
  package var capacity = 0
  /// How many events it asks for to begin with.
  package var demand: UInt64 = .max
  /// Where its callbacks run; nil: where it is published.
  package var executor: CellExecutor?
  /// Cancels and silences it.
  package var token: CancelToken?
  /// Whether anybody can ask for the promise of its end.
  var hasEnd = true

  package init(_ receiver: Receiver) { self.receiver = receiver }
}

extension CellPublisher {
  /// A new subscriber, with one handle, to what is published from now on. Takes over the receiver; nil when memory has
  /// run out.
  package func subscribe(_ subscription: Subscription) -> CellSubscriber? {
    guard let subscriber = prepare(subscription) else { return nil }
    add(subscriber)
    return subscriber
  }

  /// The same, before it is in the list.
  func prepare(_ subscription: Subscription) -> CellSubscriber? {
    guard let subscriber = makeSubscriber(subscription) else {
      subscription.receiver.release()
      return nil
    }
    if subscriber.cancelsWithItsEnd() { return subscriber }
    subscriber.releaseHandle()
    return nil
  }

  private func makeSubscriber(_ subscription: Subscription) -> CellSubscriber? {
    let end = subscription.hasEnd ? CellRef.promise() : nil
    guard end != nil || !subscription.hasEnd else { return nil }
    let token = subscription.token
    let terms = CellSubscriber.Terms(
      publisher: self, receiver: subscription.receiver, overflow: subscription.overflow,
      capacity: subscription.capacity, token: token, generation: token?.generation ?? 0, end: end)
    guard retainParts(subscription) else {
      end?.release()
      return nil
    }
    if let made = CellSubscriber.make(terms, demand: subscription.demand, executor: subscription.executor) {
      return made
    }
    subscription.executor?.ref.release()
    token?.ref.release()
    ref.release()
    end?.release()
    return nil
  }

  private func retainParts(_ subscription: Subscription) -> Bool {
    guard ref.retain() else { return false }
    guard subscription.token?.ref.retain() ?? true else {
      ref.release()
      return false
    }
    guard subscription.executor?.ref.retain() ?? true else {
      subscription.token?.ref.release()
      ref.release()
      return false
    }
    return true
  }
}

extension CellSubscriber {
  /// Sees to it that a request for the promise of the end to cancel, and the token's, cancels the subscriber. False when
  /// memory has run out.
  fileprivate func cancelsWithItsEnd() -> Bool {
    guard let end else { return true }
    let isAttached = unsafe end.onCancelRequest(
      { subscriber, _ in unsafe WeakCell(context: subscriber).with { _ = CellSubscriber($0).cancel() } },
      Context(WeakCell(ref).context, nil))
    guard isAttached else { return false }
    guard let token = terms.token else { return true }
    guard token.add(end) else { return false }
    // Invalidated since the generation was noted, it may have asked nobody to cancel.
    if token.generation != terms.generation { _ = cancel() }
    return true
  }
}
