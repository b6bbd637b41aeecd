import CPlatform

/// A list of scheduled subscribers, in the order in which they were scheduled. Each has a reference. A subscriber is in
/// at most one such list, because a scheduled one is not scheduled again.
///
/// Each subscriber gets one event, then each gets the next. Events that an operator publishes join the list that is
/// being drained, so a chain of operators causes no recursion. Events that a user's callback publishes are delivered
/// before that call returns, with one exception: a subscriber whose callback is running, or that is in an enclosing
/// list, gets them when its turn comes.
struct Delivery {
  private var subscribers = CellQueue<CellSubscriber.DeliveryLink>()

  /// Takes ownership of a reference.
  mutating func push(_ subscriber: CellSubscriber) { subscribers.push(subscriber) }

  /// The list that this thread is draining.
  private static var current: UnsafeMutablePointer<Delivery>? {
    unsafe platform_thread().pointee.delivery?.assumingMemoryBound(to: Delivery.self)
  }

  /// Whether this thread is draining a list.
  static var isRunning: Bool { unsafe platform_thread().pointee.delivery != nil }

  /// Runs `body` as part of draining the list: events that it publishes join the list.
  static func filling<Result>(_ list: UnsafeMutablePointer<Delivery>, _ body: () -> Result) -> Result {
    let thread = unsafe platform_thread()
    let outer = unsafe thread.pointee.delivery
    unsafe thread.pointee.delivery = UnsafeMutableRawPointer(list)
    defer { unsafe thread.pointee.delivery = unsafe outer }
    return body()
  }

  /// Drains the list, or appends it to the list that this thread is draining. Call without a lock.
  @inline(__always)
  consuming func run() {
    guard !subscribers.isEmpty else { return }
    if let current = unsafe Delivery.current { return unsafe current.pointee.subscribers.append(subscribers) }
    var list = self
    unsafe withUnsafeMutablePointer(to: &list) { unsafe Delivery.drain($0) }
  }

  @inline(never)
  private static func drain(_ list: UnsafeMutablePointer<Delivery>) {
    let thread = unsafe platform_thread()
    unsafe thread.pointee.delivery = UnsafeMutableRawPointer(list)
    while let subscriber = unsafe list.pointee.subscribers.pop() {
      if subscriber.executor != nil {
        subscriber.submitTurn()
      } else if subscriber.step() {
        unsafe list.pointee.push(subscriber)
      } else {
        subscriber.ref.release()
      }
    }
    unsafe thread.pointee.delivery = nil
  }

  /// Runs user code: events published by it are delivered before it returns, not by the enclosing list.
  static func callOut<Result>(_ body: () -> Result) -> Result {
    let thread = unsafe platform_thread()
    let outer = unsafe thread.pointee.delivery
    unsafe thread.pointee.delivery = nil
    defer { unsafe thread.pointee.delivery = unsafe outer }
    return body()
  }
}
