/// One run of a program about a stream: a publisher, and two subscribers that record their events.
final class StreamTrial: Explorable {
  enum Program: CaseIterable {
    /// Both threads publish.
    case publish
    /// One thread publishes twice while the other subscribes; in the second case the publisher is stateful.
    case subscribe, subscribeStateful
    /// One publishes while the other ends the stream, or both release it.
    case finish, releasePublisher
    /// One publishes while the other cancels a subscriber, cancels the promise of its end, or releases it.
    case cancel, cancelEnd, release
    /// One publishes while the other requests events.
    case request
    /// One publishes while the other abandons the promise of an event.
    case next
    /// One waits for capacity that the other frees.
    case room
    /// One publishes to the source of an operator while the other releases the operator's publisher.
    case operatorGoes
    /// Each thread ends one source of a merged stream.
    case merge
    /// Each publishes to a source of a combined stream.
    case combine
    /// One subscribes with a token that the other cancels, or invalidates.
    case token, tokenInvalidated
    /// One merges or combines streams while the other ends the first.
    case mergeEnding, combineEnding
  }

  static var programs: [Program] { Program.allCases }

  /// The record of one subscriber: values, then 100 for its end, if it finished, or 200, and 1000 for its release.
  final class Ear {
    var heard: [Int] = []
    var inside = 0
  }

  private let program: Program
  private let ears = [Ear(), Ear(), Ear()]
  private var publishers: [CellPublisher] = []
  private var subscribers: [CellSubscriber] = []
  private var promise: CellRef?
  private var wasReady = false
  private let token = CancelToken.make(invalidatesWhenDropped: false)!
  /// Whether, at the end, exactly the ended subscribers were in no publisher's list.
  private var wasLeft = false
  /// Whether the token was cancelled in time to end the subscriber.
  private var wasOver = false
  private var gotValue: UInt64?

  init(_ program: Program) {
    self.program = program
    let publisher = CellPublisher.make(isStateful: program == .subscribeStateful)!
    publishers = [publisher]
    switch program {
    case .publish:
      listen(publisher, ears[0])
      listen(publisher, ears[1])
    case .subscribe, .subscribeStateful, .token, .tokenInvalidated: break
    case .mergeEnding, .combineEnding: publishers.append(CellPublisher.make(isStateful: false)!)
    case .request: listen(publisher, ears[0], demand: 0)
    case .room:
      listen(publisher, ears[0], demand: 0)
      publish(1)
    case .next:
      subscribers = [publisher.subscribe(Subscription(.promises(unsafe Context(nil, nil))))!]
      promise = subscribers[0].next()
    case .operatorGoes:
      let derived = publisher.derived(by: .pass)!
      listen(derived, ears[0])
      derived.releaseHandle()
    case .merge, .combine:
      publishers.append(CellPublisher.make(isStateful: false)!)
      listenToBoth(isCombining: program == .combine)
    case .releasePublisher:
      listen(publisher, ears[0])
      _ = publisher.retainHandle()
    default: listen(publisher, ears[0])
    }
  }

  private func listenToBoth(isCombining: Bool) {
    let joined = CellPublisher.joined({ self.publishers[$0] }, count: 2, isCombining ? .combine : .merge)!
    listen(joined, ears[0])
    joined.releaseHandle()
  }

  private func listen(
    _ publisher: CellPublisher, _ ear: Ear, demand: UInt64 = .max, token: CancelToken? = nil
  ) {
    let hear: Observer = { context, value in
      let ear = unsafe Unmanaged<Ear>.fromOpaque(context!).takeUnretainedValue()
      ear.inside += 1
      if ear.inside > 1 { ear.heard.append(-1) }
      let value = unsafe value.load(as: CellValue.self)
      ear.heard.append(value.kind == ValueKind.array.rawValue ? 50 : Int(value.bits))
      ear.inside -= 1
    }
    let context = unsafe Context(
      Unmanaged.passRetained(ear).toOpaque(),
      { unsafe Unmanaged<Ear>.fromOpaque($0!).takeRetainedValue().heard.append(1000) })
    var subscription = Subscription(unsafe .callbacks(onValue: hear, onError: nil, onEnd: nil, context))
    subscription.demand = demand
    subscription.capacity = demand == 0 ? 1 : 0
    subscription.token = token
    let subscriber = publisher.subscribe(subscription)!
    subscribers.append(subscriber)
    let end = unsafe Context(Unmanaged.passUnretained(ear).toOpaque(), nil)
    _ = unsafe subscriber.end!.observe(
      { context, _ in unsafe Unmanaged<Ear>.fromOpaque(context!).takeUnretainedValue().heard.append(100) },
      { context, _ in unsafe Unmanaged<Ear>.fromOpaque(context!).takeUnretainedValue().heard.append(200) }, end)
  }

  private func publish(_ number: UInt64, _ index: Int = 0) {
    _ = publishers[index].publish(StreamEvent(CellValue(kind: .u64, bits: number), .fulfilled))
  }

  var bodies: [() -> Void] {
    switch program {
    case .publish: [{ self.publish(1) }, { self.publish(2) }]
    case .subscribe, .subscribeStateful:
      [
        {
          self.publish(1)
          self.publish(2)
        }, { self.listen(self.publishers[0], self.ears[0]) },
      ]
    case .finish: [{ self.publish(1) }, { _ = self.publishers[0].end(.finished) }]
    case .releasePublisher:
      [
        {
          self.publish(1)
          self.publishers[0].releaseHandle()
        }, { self.publishers[0].releaseHandle() },
      ]
    case .cancel: [{ self.publish(1) }, { _ = self.subscribers[0].cancel() }]
    case .cancelEnd: [{ self.publish(1) }, { self.subscribers[0].end!.requestCancel() }]
    case .release, .operatorGoes: [{ self.publish(1) }, { self.subscribers.removeLast().releaseHandle() }]
    case .request: [{ self.publish(1) }, { self.subscribers[0].request(1) }]
    case .next: [{ self.publish(1) }, { self.promise!.requestCancel() }]
    case .room: [{ self.promise = self.publishers[0].ready() }, { self.subscribers[0].request(1) }]
    case .merge: [{ _ = self.publishers[0].end(.cancelled) }, { _ = self.publishers[1].end(.cancelled) }]
    case .combine: [{ self.publish(1, 0) }, { self.publish(2, 1) }]
    case .token, .tokenInvalidated:
      [
        { self.listen(self.publishers[0], self.ears[0], token: self.token) },
        {
          _ = self.program == .token ? self.token.cancelWithoutInvalidating() : self.token.invalidate()
        },
      ]
    case .mergeEnding, .combineEnding:
      [
        { self.listenToBoth(isCombining: self.program == .combineEnding) },
        { _ = self.publishers[0].end(.failed(CellValue(kind: .u64, bits: 9))) },
      ]
    }
  }

  func end() {
    if program == .room { wasReady = promise!.state.isSettled && !promise!.state.isRejected }
    if program == .next {
      let again = subscribers[0].next()!
      for promise in [promise!, again] where promise.state.isSettled && !promise.state.isRejected {
        gotValue = (gotValue ?? 0) + promise.value.bits
      }
      again.release()
    }
    wasOver = subscribers.first?.end?.state.isSettled ?? false
    let isInNoList = publishers.allSatisfy { !$0.hasSubscribers }
    switch program {
    case .token, .tokenInvalidated:
      wasLeft = wasOver == isInNoList
      // A later subscriber receives the value.
      if !wasOver { publish(1) }
    default: wasLeft = isInNoList
    }
    promise?.release()
    token.releaseHandle()
    for subscriber in subscribers { subscriber.releaseHandle() }
    if program != .releasePublisher { for publisher in publishers { publisher.releaseHandle() } }
  }

  func violations() -> [String] {
    let (first, second) = (ears[0].heard, ears[1].heard)
    let isRight: Bool =
      switch program {
      case .publish: first == second && [[1, 2, 200, 1000], [2, 1, 200, 1000]].contains(first)
      case .subscribe: [[1, 2, 200, 1000], [2, 200, 1000], [200, 1000]].contains(first)
      case .subscribeStateful: [[1, 2, 200, 1000], [2, 200, 1000]].contains(first)
      case .finish: [[1, 100, 1000], [100, 1000]].contains(first)
      case .cancel, .cancelEnd, .release, .operatorGoes:
        [[1, 200, 1000], [200, 1000]].contains(first)
      case .request, .releasePublisher: first == [1, 200, 1000]
      case .next: gotValue == 1
      case .room: wasReady && first == [1, 200, 1000]
      case .merge: first == [200, 1000]
      case .combine: first == [50, 200, 1000]
      case .token where !wasOver, .tokenInvalidated where !wasOver: wasLeft && first == [1, 200, 1000]
      // A subscriber that ended before its end was observed has already released its context.
      case .token, .tokenInvalidated, .mergeEnding, .combineEnding:
        wasLeft && [[200, 1000], [1000, 200]].contains(first)
      }
    return isRight ? [] : ["heard \(first) and \(second)"]
  }
}
