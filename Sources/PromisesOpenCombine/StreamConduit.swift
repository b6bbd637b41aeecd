#if OpenCombine
import OpenCombine
import Promises
import Synchronization

/// A subscription of OpenCombine to a stream.
///
/// In the stream an error takes demand, in OpenCombine it takes none. So one state more than the demand is requested: a
/// value that arrives without demand is held until there is some, and no further state is requested meanwhile.
///
/// The stream keeps this object, and this object the stream, until the end or `cancel()`.
final class StreamConduit<Downstream: OpenCombine.Subscriber>: OpenCombine.Subscription {
  private typealias Completion = Subscribers.Completion<Downstream.Failure>

  // Guards all fields. Nothing is called with it held.
  private let lock = Mutex(())
  /// `nil` once the subscription has ended.
  private var downstream: Downstream?
  private var source: StreamSubscription?
  private var demand = Subscribers.Demand.none
  private var held: Downstream.Input?
  /// The completion that waits: the stream ended before `begin` had finished, or while a value was held or was
  /// delivered by `request(_:)`.
  private var completion: Completion?
  /// Whether a completion must wait: until `begin` has finished, and while `request(_:)` delivers.
  private var isBusy = true

  init(_ downstream: Downstream) { self.downstream = downstream }

  func begin(_ stream: Promises.Subscriber<Downstream.Input, Downstream.Failure>, _ buffer: StreamBuffer) {
    let subscription = stream.subscribe(demand: 0, buffer: buffer) { self.receive($0) }
    var downstream: Downstream?
    lock.withLock { _ in
      source = subscription
      downstream = self.downstream
    }
    downstream?.receive(subscription: self)
    proceed()
  }

  func request(_ demand: Subscribers.Demand) {
    var value: Downstream.Input?
    lock.withLock { _ in
      self.demand += demand
      guard !isBusy, demand > 0, let next = held, downstream != nil else { return }
      value = next
      held = nil
      isBusy = true
    }
    guard let value else { return }
    deliver(value)
    proceed()
  }

  func cancel() {
    let (_, source) = end()
    source?.cancel()
  }

  /// Called by the stream, one state at a time.
  private func receive(_ state: StreamState<Downstream.Input, Downstream.Failure>) {
    switch state {
    case .data(let value):
      var isWanted = false
      lock.withLock { _ in
        isWanted = demand > 0
        if !isWanted { held = value }
      }
      guard isWanted else { return }
      deliver(value)
      proceed(endsBusy: false)
    case .error(let error): complete(.failure(error))
    case .cancelled: complete(.finished)
    }
  }

  /// Delivers a value for which there is demand.
  private func deliver(_ value: Downstream.Input) {
    var downstream: Downstream?
    lock.withLock { _ in
      demand -= 1
      downstream = self.downstream
    }
    guard let downstream else { return }
    let more = downstream.receive(value)
    lock.withLock { _ in demand += more }
  }

  /// Requests the next state, or ends if the stream has ended meanwhile.
  private func proceed(endsBusy: Bool = true) {
    var (completion, source): (Completion?, StreamSubscription?)
    lock.withLock { _ in
      if endsBusy { isBusy = false }
      completion = self.completion
      source = self.source
    }
    if let completion { complete(completion) } else { source?.request(1) }
  }

  private func complete(_ completion: Completion) {
    var mustWait = false
    lock.withLock { _ in
      mustWait = isBusy || held != nil
      if mustWait { self.completion = completion }
    }
    if mustWait { return }
    let (downstream, source) = end()
    source?.cancel()
    downstream?.receive(completion: completion)
  }

  /// Ends the subscription, and returns the subscriber and the source. The caller calls and releases them outside the
  /// lock.
  private func end() -> (Downstream?, StreamSubscription?) {
    var former: (Downstream?, StreamSubscription?, Downstream.Input?)
    lock.withLock { _ in
      former = (downstream, source, held)
      (downstream, source, held) = (nil, nil, nil)
    }
    return (former.0, former.1)
  }
}
#endif
