#if OpenCombine
public import OpenCombine
public import Promises
import Synchronization

extension Promises.Publisher where Failure: Error {
  /// Publishes the values of a publisher of OpenCombine, and asks for no more while a subscriber of this stream is
  /// full.
  ///
  ///     let feeding = publisher.publish(contentsOf: subject)
  ///
  /// A failure is published as an error. The end of `elements` does not end the stream. Once the stream is cancelled,
  /// the subscription to `elements` is cancelled, with its next value at the latest.
  ///
  /// - Returns: the subscription, which must be kept. It keeps this publisher until `elements` ends.
  public final func publish<Elements: OpenCombine.Publisher>(contentsOf elements: Elements) -> AnyCancellable
  where Elements.Output == Value, Elements.Failure == Failure {
    let feed = StreamFeed(self)
    elements.subscribe(feed)
    return AnyCancellable { feed.cancel() }
  }
}

/// Publishes the values that it receives from OpenCombine to a stream.
private final class StreamFeed<Value, Failure: Error>: OpenCombine.Subscriber {
  // Guards both fields. Nothing is called with it held.
  private let lock = Mutex(())
  /// `nil` once the subscription has ended.
  private var publisher: Promises.Publisher<Value, Failure>?
  private var subscription: (any OpenCombine.Subscription)?

  init(_ publisher: Promises.Publisher<Value, Failure>) { self.publisher = publisher }

  func receive(subscription: any OpenCombine.Subscription) {
    var isFirst = false
    lock.withLock { _ in
      isFirst = publisher != nil && self.subscription == nil
      if isFirst { self.subscription = subscription }
    }
    if isFirst { subscription.request(.max(1)) } else { subscription.cancel() }
  }

  func receive(_ value: Value) -> Subscribers.Demand {
    guard let publisher = current else { return .none }
    switch publisher.publish(value) {
    case .published: return .max(1)
    case .full: publisher.ready().whenResolved { self.proceed(isOpen: $0.value != nil) }
    case .cancelled: cancel()
    }
    return .none
  }

  func receive(completion: Subscribers.Completion<Failure>) {
    let publisher = end().0
    if case .failure(let error) = completion { publisher?.publish(error: error) }
  }

  func cancel() { end().1?.cancel() }

  private func proceed(isOpen: Bool) {
    guard isOpen else { return cancel() }
    var subscription: (any OpenCombine.Subscription)?
    lock.withLock { _ in subscription = self.subscription }
    subscription?.request(.max(1))
  }

  private var current: Promises.Publisher<Value, Failure>? {
    var publisher: Promises.Publisher<Value, Failure>?
    lock.withLock { _ in publisher = self.publisher }
    return publisher
  }

  private func end() -> (Promises.Publisher<Value, Failure>?, (any OpenCombine.Subscription)?) {
    var former: (Promises.Publisher<Value, Failure>?, (any OpenCombine.Subscription)?)
    lock.withLock { _ in
      former = (publisher, subscription)
      (publisher, subscription) = (nil, nil)
    }
    return former
  }
}
#endif
