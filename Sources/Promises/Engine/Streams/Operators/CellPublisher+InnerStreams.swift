import CPlatform

// Publishers of inner streams (InnerStreams.swift).
extension CellPublisher {
  /// Returns a publisher of the inner streams that the function makes of this one's values, with one handle. Takes
  /// ownership of the function's context; nil when memory has run out.
  package func flattened(_ kind: FlatteningKind, _ maker: InnerStreams.Maker) -> CellPublisher? {
    let made = CellPublisher.flattening(kind, maker, retries: 0, isStateful: isStateful, sources: 1)
    return made?.connect({ _ in .flatten }, count: 1) { _ in self }
  }

  /// Returns a publisher of the stream that the function makes of VOID, then of those that it makes of errors, with one
  /// handle. It ends with `ending` when such a stream is over. Takes ownership of the function's context; nil when
  /// memory has run out.
  package static func retried(
    _ retries: UInt64, ending: StreamEnding, _ maker: InnerStreams.Maker
  ) -> CellPublisher? {
    let made = flattening(.retry, maker, retries: retries, isStateful: true, sources: 0)
    guard let made else { return nil }
    let isAdded = made.locked { state -> Bool in
      unsafe state.flattening?.pointee.sourceEnding = ending
      return unsafe state.flattening?.pointee.waiting.push(StreamEvent(.void, .fulfilled)) == true
    }
    guard isAdded else {
      made.releaseHandle()
      return nil
    }
    made.startInner()
    return made
  }

  private static func flattening(
    _ kind: FlatteningKind, _ maker: InnerStreams.Maker, retries: UInt64, isStateful: Bool, sources: Int
  ) -> CellPublisher? {
    guard let memory = unsafe malloc(MemoryLayout<InnerStreams>.size) else {
      maker.release()
      return nil
    }
    let flattening = unsafe memory.bindMemory(to: InnerStreams.self, capacity: 1)
    unsafe flattening.initialize(to: InnerStreams(kind: kind, maker: maker, retries: retries))
    var state = State(isStateful: isStateful)
    unsafe state.flattening = unsafe flattening
    if let target = derived(state, count: sources) { return target }
    unsafe free(flattening)
    return nil
  }

  static func free(_ flattening: UnsafeMutablePointer<InnerStreams>?) {
    guard let flattening = unsafe flattening else { return }
    unsafe flattening.pointee.release()
    // The closure of a maker is released.
    Delivery.callOut { _ = unsafe flattening.deinitialize(count: 1) }
    unsafe platform_free(flattening)
  }

  /// Takes ownership of a value of the source.
  func flatten(_ event: StreamEvent) {
    let isAdded = locked { state -> Bool? in
      guard state.ending == nil else { return nil }
      return unsafe state.flattening?.pointee.waiting.push(event)
    }
    if isAdded != true { event.release() }
    if isAdded == false { _ = publish(StreamEvent(Fault.outOfMemory.value, .rejected)) }
    startInner()
  }

  /// Handles the end of the source; the ending is borrowed.
  func flattenedSourceEnded(_ ending: StreamEnding) {
    switch ending {
    case .failed, .fault: _ = end(ending.copy())
    case .finished, .cancelled:
      locked { state in unsafe state.flattening?.pointee.sourceEnding = ending.copy() }
      startInner()
    }
  }

  /// Starts the inner streams whose turn it is, and ends the target if no other inner stream will follow.
  private func startInner() {
    while let next = unsafe locked({ state in
      state.ending == nil ? unsafe state.flattening?.pointee.takeWaiting() : nil
    }) {
      let inner = unsafe makeInner(of: next.value.value)
      // Left after the new one is made: both may come from one future, which stays wanted.
      unsafe InnerStreams.leave(next.replaced)
      unsafe next.value.release()
      if let (publisher, owner) = inner {
        if !subscribe(toInner: publisher, of: owner) {
          _ = publish(StreamEvent(Fault.outOfMemory.value, .rejected))
        }
        publisher.releaseHandle()
      }
      locked { state in unsafe state.flattening?.pointee.isStarting = false }
    }
    if let ending = locked({ state in unsafe state.flattening?.pointee.ending?.copy() }) { _ = end(ending) }
  }

  /// Calls the user's function. An invalid handle is published as an error.
  private func makeInner(of value: CellValue) -> (publisher: CellPublisher, owner: Context)? {
    guard let flattening = unsafe locked({ state in unsafe state.flattening }) else { return nil }
    var value = value
    let handle: UInt64
    // The maker is immutable, so it is read without the lock.
    switch unsafe flattening.pointee.maker {
    case .closure(let make): return Delivery.callOut { make(value) }
    case .function(let function, let context):
      handle = Delivery.callOut { unsafe UInt64(UInt(bitPattern: function(context.pointer, &value))) }
    }
    guard handle != 0 else { return nil }
    let publisher = Token(bits: handle).cell(.publisher).map(CellPublisher.init)
    if let publisher, publisher.hasHandles { return unsafe (publisher, Context(nil, nil)) }
    _ = publish(StreamEvent(Fault.unknownPublisher.value, .rejected))
    return nil
  }

  /// Subscribes to an inner stream, and takes ownership of its owner; false when memory has run out.
  private func subscribe(toInner publisher: CellPublisher, of owner: Context) -> Bool {
    guard let memory = unsafe malloc(MemoryLayout<InnerStreams.Inner>.size) else {
      Delivery.callOut { owner.release() }
      return false
    }
    let inner = unsafe memory.bindMemory(to: InnerStreams.Inner.self, capacity: 1)
    unsafe inner.initialize(to: InnerStreams.Inner())
    let number = locked { state -> UInt64? in
      guard state.ending == nil, let flattening = unsafe state.flattening else { return nil }
      unsafe flattening.pointee.link(inner)
      return unsafe flattening.pointee.number
    }
    guard let number else {
      unsafe platform_free(inner)
      Delivery.callOut { owner.release() }
      return true
    }
    var subscriber: CellSubscriber?
    if let stage = unsafe Stage.make(.inner(inner, number, owner), self) {
      var subscription = Subscription(.stage(stage))
      subscription.hasEnd = false
      subscription.capacity = 64
      subscriber = publisher.subscribe(subscription)
    }
    let isKept = locked { state -> Bool in
      guard let flattening = unsafe state.flattening, unsafe flattening.pointee.starting == inner else { return false }
      unsafe flattening.pointee.starting = nil
      unsafe inner.pointee.subscriber = subscriber
      if subscriber == nil { unsafe flattening.pointee.unlink(inner) }
      return true
    }
    guard let subscriber else {
      if isKept { unsafe platform_free(inner) }
      return false
    }
    if !isKept { subscriber.releaseHandle() }
    if !hasRoom { roomChanged() }
    return true
  }

  /// Takes ownership of an event of an inner stream.
  func publish(_ event: StreamEvent, of inner: UnsafeMutablePointer<InnerStreams.Inner>, _ number: UInt64) {
    var isLeft = false
    var isRetried = false
    let result = publishing { state in
      guard let flattening = unsafe state.flattening, unsafe !flattening.pointee.hasLeft(number) else {
        isLeft = true
        return nil
      }
      guard event.outcome.isRejected, unsafe flattening.pointee.retry(event) else { return event }
      isRetried = true
      return nil
    }
    if isLeft || result == .ended { event.release() }
    if isRetried { startInner() }
  }

  /// Handles the end of an inner stream; the ending is borrowed.
  func innerEnded(_ ending: StreamEnding, _ inner: UnsafeMutablePointer<InnerStreams.Inner>, _ number: UInt64) {
    let reason = ending.ownedReason
    let (isFound, isRetried, subscriber) = locked { state -> (Bool, Bool, CellSubscriber?) in
      guard state.ending == nil, let flattening = unsafe state.flattening,
        unsafe !flattening.pointee.hasLeft(number)
      else { return (false, false, nil) }
      unsafe flattening.pointee.unlink(inner)
      var isRetried = false
      if let reason {
        isRetried = unsafe flattening.pointee.retry(StreamEvent(reason, .rejected))
      }
      return unsafe (true, isRetried, inner.pointee.subscriber)
    }
    if let reason, !isRetried { StreamEvent(reason, .rejected).release() }
    guard isFound else { return }
    unsafe platform_free(inner)
    subscriber?.releaseHandle()
    switch ending {
    case .failed where !isRetried, .fault where !isRetried: _ = end(ending.copy())
    default: startInner()
    }
  }
}

extension InnerStreams {
  /// Schedules the next attempt after an error. Takes ownership of the error on success. False if no attempt is left,
  /// or when memory has run out.
  fileprivate mutating func retry(_ event: StreamEvent) -> Bool {
    guard kind == .retry, retries > 0, waiting.push(event) else { return false }
    if retries != .max { retries -= 1 }
    // The events that the failed attempt publishes meanwhile are dropped.
    number &+= 1
    return true
  }
}

extension StreamEnding {
  /// The reason of a failure, with a reference for the caller.
  fileprivate var ownedReason: CellValue? {
    switch self {
    case .failed(let reason): reason.retain() ? reason : nil
    case .fault(let fault): fault.value
    case .finished, .cancelled: nil
    }
  }
}
