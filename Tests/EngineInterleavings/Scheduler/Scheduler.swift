import CCoroutines
import CPlatform
import CRaces

/// Runs the threads of a small program one at a time, and switches between them at the engine's atomic operations.
///
/// There is one for the process: the shadows of the engine's platform have no other way to find it.
enum Scheduler {
  static let threads = 3
  /// The test itself, as an index beside the threads'.
  static var controller: Int { threads }

  /// What the engine keeps for each thread and for the controller.
  nonisolated(unsafe) static let threadBlocks: UnsafeMutablePointer<platform_thread> = {
    let blocks = UnsafeMutablePointer<platform_thread>.allocate(capacity: threads + 1)
    unsafe blocks.initialize(repeating: platform_thread(), count: threads + 1)
    return unsafe blocks
  }()

  /// Which of them runs.
  nonisolated(unsafe) static var current = controller
  /// How many of the engine's locks it holds.
  nonisolated(unsafe) static var locks = 0
  /// The words at which threads are switched: the cells' memory.
  nonisolated(unsafe) static var watched: Range<UInt> = 0..<0

  private static let wordSize = 8
  /// Which thread used each of the words last; -1: none.
  nonisolated(unsafe) private static var owners: [Int] = []
  /// The words that more than one thread uses, in some schedule. Only at those does an order make a difference.
  nonisolated(unsafe) private static var isShared: [Bool] = []
  /// A word was found to be shared after threads had passed it by: the exploration begins anew.
  nonisolated(unsafe) private static var isOutdated = false

  nonisolated(unsafe) private static var exploration = Exploration()
  nonisolated(unsafe) private static var bodies: [() -> Void] = []
  nonisolated(unsafe) private static var next: [Operation] = []
  nonisolated(unsafe) private static var ready = ThreadSet()
  /// The words of the threads that sleep until they are woken, and of those that spin until there is a write.
  nonisolated(unsafe) private static var sleeping: [UInt?] = []
  nonisolated(unsafe) private static var spinning: [UInt?] = []
  nonisolated(unsafe) private static let workers = Workers(count: threads)

  /// Runs the program once for every schedule. `prepare` makes the threads' bodies anew for each, `check` looks at what
  /// they did; a redundant run repeated another. Returns how many schedules there were. Stops when `check` returns
  /// false.
  static func explore(
    preemptionLimit: Int? = nil, prepare: () -> [() -> Void],
    check: (_ schedule: () -> String, _ isRedundant: Bool) -> Bool
  ) -> Int {
    isShared = Array(repeating: false, count: watched.count / wordSize)
    repeat {
      isOutdated = false
      exploration = Exploration(preemptionLimit: preemptionLimit)
      owners = Array(repeating: -1, count: isShared.count)
      var runs = 0
      repeat {
        races_begin()
        bodies = prepare()
        races_fork()
        run()
        races_join()
        bodies = []
        if !exploration.isRedundant { runs += 1 }
        guard check({ exploration.schedule }, exploration.isRedundant) else { return runs }
      } while !isOutdated && exploration.advance()
      if !isOutdated { return runs }
    } while true
  }

  private static func run() {
    next = Array(repeating: Operation(access: .read, word: 0), count: bodies.count)
    sleeping = Array(repeating: nil, count: bodies.count)
    spinning = sleeping
    ready = ThreadSet()
    for thread in bodies.indices { ready.insert(thread) }
    give(to: choose(running: nil))
  }

  private static func choose(running: Int?) -> Int {
    exploration.choose(ready: ready, next: next, running: running)
  }

  private static func give(to thread: Int) {
    let me = current
    current = thread
    races_switch(Int32(thread))
    workers.give(from: me, to: thread)
  }

  /// What each worker does in every run.
  fileprivate static func work(_ thread: Int) {
    bodies[thread]()
    ready.remove(thread)
    if ready.first != nil {
      give(to: choose(running: nil))
    } else {
      let stuck = sleeping.indices.filter { sleeping[$0] != nil || spinning[$0] != nil }
      precondition(stuck.isEmpty, "threads \(stuck) are never woken in schedule \(exploration.schedule)")
      give(to: controller)
    }
  }

  /// Called before each atomic operation.
  static func pass(_ access: Access, _ word: UnsafeRawPointer) {
    let address = UInt(bitPattern: word)
    guard current != controller, locks == 0, watched.contains(address) else { return }
    let index = Int(address - watched.lowerBound) / wordSize
    note(index)
    guard isShared[index] else { return }
    offer(Operation(access: access, word: address))
    if access == .write { unblock(&spinning, address) }
  }

  /// The word is used by the current thread.
  private static func note(_ index: Int) {
    if owners[index] != current, owners[index] >= 0, !isShared[index] {
      isShared[index] = true
      isOutdated = true
    }
    owners[index] = current
  }

  /// Lets others go first, in every way there is, then returns for the operation to be made.
  private static func offer(_ operation: Operation) {
    let me = current
    next[me] = operation
    hand(from: me)
  }

  /// Lets others go first until one writes the word that this thread read last: before that, it would only read it
  /// again.
  static func spin() {
    let me = current
    guard me != controller else { fatalError("the test would wait for ever") }
    spinning[me] = next[me].word
    block(me)
  }

  private static func hand(from me: Int) {
    let chosen = choose(running: ready.contains(me) ? me : nil)
    if chosen != me { give(to: chosen) }
  }

  /// Sleeps as a futex does.
  static func sleep(on word: UnsafeRawPointer, while expected: UInt32) {
    let address = UInt(bitPattern: word)
    offer(Operation(access: .read, word: address))
    guard unsafe UInt32(truncatingIfNeeded: platform_fixed_word(word)) == expected else { return }
    sleeping[current] = address
    block(current)
  }

  private static func block(_ me: Int) {
    ready.remove(me)
    precondition(ready.first != nil, "every thread sleeps in schedule \(exploration.schedule)")
    hand(from: me)
  }

  static func wake(_ word: UnsafeRawPointer) {
    let address = UInt(bitPattern: word)
    if current != controller { offer(Operation(access: .write, word: address)) }
    unblock(&sleeping, address)
  }

  private static func unblock(_ blocked: inout [UInt?], _ word: UInt) {
    for thread in blocked.indices where blocked[thread] == word {
      blocked[thread] = nil
      ready.insert(thread)
    }
  }
}

/// The threads behind the scheduler's: coroutines, so that a switch takes no time of the operating system's. They live
/// as long as the process.
private struct Workers {
  private let coroutines: [OpaquePointer]

  init(count: Int) {
    coroutines =
      (0..<count).map { index in
        coroutine_new({ Workers.run(Int(bitPattern: $0)) }, UnsafeMutableRawPointer(bitPattern: index))!
      } + [coroutine_here()!]
  }

  /// Lets `other` go on; returns when somebody lets `me` go on.
  func give(from me: Int, to other: Int) {
    coroutine_switch(coroutines[me], coroutines[other])
  }

  private static func run(_ index: Int) {
    while true { Scheduler.work(index) }
  }
}
