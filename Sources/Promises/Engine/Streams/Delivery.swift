import CPlatform

/// A list of scheduled subscribers, in the order in which they were scheduled. They are linked through their cells'
/// `function`, and each has a reference. A subscriber is in at most one such list, because a scheduled one is not
/// scheduled again.
///
/// One event of each is delivered, then the next of each. Events that an operator publishes join the list that is being
/// drained, so a chain of operators causes no recursion. Events that a user's callback publishes are delivered before
/// that call returns, with one exception: a subscriber whose callback is running, or that is in an enclosing list, gets
/// them when its turn comes.
struct Delivery {
  private var first: UInt32 = 0
  private var last: UInt32 = 0

  /// Takes ownership of a reference.
  mutating func push(_ subscriber: CellSubscriber) {
    subscriber.nextToRun = 0
    append(first: subscriber.ref.index, last: subscriber.ref.index)
  }

  private mutating func append(first: UInt32, last: UInt32) {
    if self.last == 0 { self.first = first } else { CellSubscriber(CellRef(index: self.last)).nextToRun = first }
    self.last = last
  }

  private mutating func pop() -> CellSubscriber? {
    guard first != 0 else { return nil }
    let subscriber = CellSubscriber(CellRef(index: first))
    first = subscriber.nextToRun
    if first == 0 { last = 0 }
    return subscriber
  }

  /// The list that this thread is draining.
  private static var current: UnsafeMutablePointer<Delivery>? {
    unsafe platform_thread().pointee.delivery?.assumingMemoryBound(to: Delivery.self)
  }

  /// Drains the list, or appends it to the list that this thread is draining. No lock is held.
  consuming func run() {
    guard first != 0 else { return }
    if let current = unsafe Delivery.current { return unsafe current.pointee.append(first: first, last: last) }
    var list = self
    unsafe withUnsafeMutablePointer(to: &list) { here in
      let thread = unsafe platform_thread()
      unsafe thread.pointee.delivery = UnsafeMutableRawPointer(here)
      while let subscriber = unsafe here.pointee.pop() {
        if subscriber.executor != nil {
          subscriber.submitTurn()
        } else if subscriber.step() {
          unsafe here.pointee.push(subscriber)
        } else {
          subscriber.ref.release()
        }
      }
      unsafe thread.pointee.delivery = nil
    }
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
