import CPlatform

/// Subscribers that have something to do, in the order in which they came to it. They are linked through their cells'
/// `function`, and each has a reference: a subscriber is in one such list at most, for one that is scheduled already is
/// not scheduled again.
///
/// One event of each is delivered, then the next of each. What an operator publishes joins the list that is being worked
/// through, so a chain of operators takes no stack. What a callback of the user's publishes is delivered before that
/// call returns, but for what goes to a subscriber whose callback runs, or that is in a list around this: that has it
/// when its turn comes.
struct Delivery {
  private var first: UInt32 = 0
  private var last: UInt32 = 0

  /// Takes over a reference.
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

  /// The list that this thread works through.
  private static var current: UnsafeMutablePointer<Delivery>? {
    unsafe platform_thread().pointee.delivery?.assumingMemoryBound(to: Delivery.self)
  }

  /// Delivers, until there is nothing to do. No lock is held.
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

  /// Runs what a user wrote.
  static func callOut<Result>(_ body: () -> Result) -> Result {
    let thread = unsafe platform_thread()
    let outer = unsafe thread.pointee.delivery
    unsafe thread.pointee.delivery = nil
    defer { unsafe thread.pointee.delivery = unsafe outer }
    return body()
  }
}
