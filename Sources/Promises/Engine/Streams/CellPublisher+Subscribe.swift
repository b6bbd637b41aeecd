/// The parameters of a subscription.
@safe
package struct Subscription {
  package var receiver: Receiver
  package var overflow = Overflow.buffer
  /// The number of queued events at which the subscriber is full, or at which `overflow` takes effect; 0: unlimited,
  /// for `buffer`.
  package var capacity = 0
  /// The initial demand, in events.
  package var demand: UInt64 = .max
  /// The executor of the callbacks; nil: they run on the publishing thread.
  package var executor: CellExecutor?
  /// Cancels the subscription and silences its callbacks.
  package var token: CancelToken?
  /// Whether a turn on a user's executor delivers only one event. Subscribers that share a serial executor then take
  /// turns: each has the first event before any has the second.
  package var yieldsAfterEvent = false
  /// Whether there is a promise of the end.
  package var hasEnd = true

  package init(_ receiver: Receiver) { self.receiver = receiver }
}

extension CellPublisher {
  /// Returns a new subscriber, with one handle, to the events from now on. Takes ownership of the receiver; nil when
  /// memory has run out.
  package func subscribe(_ subscription: Subscription) -> CellSubscriber? {
    // A callback for a replayed event may release the last handle, and so may the context of a subscriber that is
    // cancelled at once.
    let isHeld = ref.retain()
    defer { if isHeld { ref.release() } }
    guard let subscriber = prepare(subscription) else { return nil }
    add(subscriber)
    return subscriber
  }

  /// Makes a subscriber that is not linked yet.
  func prepare(_ subscription: Subscription) -> CellSubscriber? {
    guard let subscriber = makeSubscriber(subscription) else {
      subscription.receiver.release()
      return nil
    }
    if subscriber.attachToEnd() { return subscriber }
    subscriber.releaseHandle()
    return nil
  }

  private func makeSubscriber(_ subscription: Subscription) -> CellSubscriber? {
    let end = subscription.hasEnd ? CellRef.promise() : nil
    guard end != nil || !subscription.hasEnd else { return nil }
    end?.keepForSettler()
    let token = subscription.token
    let terms = CellSubscriber.Terms(
      publisher: self, receiver: subscription.receiver, overflow: subscription.overflow,
      capacity: subscription.capacity, token: token, generation: token?.generation ?? 0, end: end,
      yieldsAfterEvent: subscription.yieldsAfterEvent)
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
  /// Makes cancel requests for the promise of the end, and for the token, cancel the subscriber. False when memory has
  /// run out.
  fileprivate func attachToEnd() -> Bool {
    guard let end else { return true }
    let isAttached = unsafe end.onCancelRequest(
      { subscriber, _ in unsafe WeakCell(context: subscriber).with { _ = CellSubscriber($0).cancel() } },
      Context(WeakCell(ref).context, nil))
    guard isAttached else { return false }
    guard let token = terms.token else { return true }
    guard token.add(end) else { return false }
    // The token may have been invalidated after its generation was read, before `end` was added to it.
    if token.generation != terms.generation { _ = cancel() }
    return true
  }
}
