import CPlatform

/// The inner streams of a flat map, or the attempts of a retry. Guarded by the lock of the target.
///
///     source --> [ waiting values ] --(the user's function)--> inner streams --> target
///
/// One thread starts inner streams at a time, for other threads too, so nothing recurses. The list owns its nodes: the
/// stage of an inner stream uses its node under the lock only, and only while the list has it.
@safe
package struct InnerStreams {
  /// `promise_inner_t`: takes the context and a value, and returns a handle of a publisher, or nil.
  package typealias Function = @convention(c) (UnsafeMutableRawPointer?, UnsafeRawPointer) -> UnsafeMutableRawPointer?

  /// The user's function that makes an inner stream of a value.
  @safe
  package enum Maker {
    case function(Function, Context)
    /// A function of the typed layer. It returns a publisher with a handle for the caller, and the owner of that
    /// publisher, which is kept for as long as the inner stream is subscribed to.
    case closure((CellValue) -> (publisher: CellPublisher, owner: Context))

    func release() {
      if case .function(_, let context) = self { context.release() }
    }
  }

  @safe
  package struct Inner {
    /// The subscriber to the inner stream; nil until it is made.
    var subscriber: CellSubscriber?
    var previous: UnsafeMutablePointer<Inner>?
    var next: UnsafeMutablePointer<Inner>?
  }

  let kind: FlatteningKind
  let maker: Maker
  /// The number of errors that are retried.
  var retries: UInt64
  var first: UnsafeMutablePointer<Inner>?
  /// Values that wait for their inner streams.
  var waiting = EventQueue()
  var sourceEnding: StreamEnding?
  var isStarting = false
  /// The inner stream that is being subscribed to, and the number of the latest one.
  var starting: UnsafeMutablePointer<Inner>?
  var number: UInt64 = 0

  /// Whether at most one inner stream is published at a time.
  private var isSingle: Bool { kind == .latest || kind == .retry }

  /// Whether the inner stream with this number was replaced or stopped, so that its events are dropped.
  func hasLeft(_ number: UInt64) -> Bool { isSingle && number != self.number }

  mutating func link(_ inner: UnsafeMutablePointer<Inner>) {
    unsafe inner.pointee.next = unsafe first
    unsafe first?.pointee.previous = unsafe inner
    unsafe first = unsafe inner
    unsafe starting = unsafe inner
    number &+= 1
  }

  mutating func unlink(_ inner: UnsafeMutablePointer<Inner>) {
    if unsafe starting == inner { unsafe starting = nil }
    if let previous = unsafe inner.pointee.previous {
      unsafe previous.pointee.next = unsafe inner.pointee.next
    } else {
      unsafe first = unsafe inner.pointee.next
    }
    unsafe inner.pointee.next?.pointee.previous = unsafe inner.pointee.previous
  }

  /// The parts to release outside the lock.
  @safe
  struct Rest {
    var inner: UnsafeMutablePointer<Inner>?
    var waiting = EventQueue()

    func release() {
      unsafe InnerStreams.leave(inner)
      waiting.release()
    }
  }

  /// Removes all inner streams and waiting values when the target ends.
  mutating func stop() -> Rest { unsafe Rest(inner: takeAll(), waiting: waiting.take()) }

  private mutating func takeAll() -> UnsafeMutablePointer<Inner>? {
    defer { unsafe (first, starting) = (nil, nil) }
    // From now on the events of these inner streams are dropped.
    number &+= 1
    return unsafe first
  }

  /// Removes and returns the next value whose turn it is, with the inner streams that it replaces.
  mutating func takeWaiting() -> (value: StreamEvent, replaced: UnsafeMutablePointer<Inner>?)? {
    guard !isStarting, unsafe kind != .concat || first == nil, let entry = waiting.pop() else { return nil }
    isStarting = true
    return unsafe (entry.takeEvent(), isSingle ? takeAll() : nil)
  }

  /// The ending of the source, borrowed; nil while an inner stream is open or may follow.
  var ending: StreamEnding? {
    guard !isStarting, waiting.isEmpty, unsafe first == nil else { return nil }
    return sourceEnding
  }

  /// Unsubscribes from a list of inner streams, and frees the nodes.
  static func leave(_ list: UnsafeMutablePointer<Inner>?) {
    var next = unsafe list
    while let inner = unsafe next {
      unsafe next = unsafe inner.pointee.next
      unsafe inner.pointee.subscriber?.releaseHandle()
      unsafe platform_free(inner)
    }
  }

  func release() {
    unsafe InnerStreams.leave(first)
    waiting.release()
    sourceEnding?.release()
    Delivery.callOut { maker.release() }
  }
}

/// The inner streams that are published.
package enum FlatteningKind {
  /// All inner streams at once.
  case merge
  /// One inner stream after the other.
  case concat
  /// The latest inner stream.
  case latest
  /// The latest inner stream, which another one replaces after an error.
  case retry
}
