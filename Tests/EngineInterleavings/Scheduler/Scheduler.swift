import CCoroutines
import CPlatform
import CRaces

/// Runs the threads of a small program one at a time, and switches between them at the engine's atomic operations.
///
/// One per process: the shadows of the engine's platform have no other way to find it.
enum Scheduler {
  static let threads = 3
  /// The test itself, as an index beside the threads'.
  static var controller: Int { threads }

  /// The engine's thread-local state, for each thread and for the controller.
  nonisolated(unsafe) static let threadBlocks: UnsafeMutablePointer<platform_thread> = {
    let blocks = UnsafeMutablePointer<platform_thread>.allocate(capacity: threads + 1)
    unsafe blocks.initialize(repeating: platform_thread(), count: threads + 1)
    return unsafe blocks
  }()

  /// The index of the running thread.
  nonisolated(unsafe) static var current = controller
  /// The number of engine locks that the running thread holds.
  nonisolated(unsafe) static var locks = 0
  /// The words at which threads are switched: the cells' memory.
  nonisolated(unsafe) static var watched: Range<UInt> = 0..<0

  private static let wordSize = 8
  /// The last thread to use each word; -1: none.
  nonisolated(unsafe) private static var owners: [Int] = []
  /// The words that more than one thread uses, in some schedule. The others need no switch.
  nonisolated(unsafe) private static var isShared: [Bool] = []
  /// Whether a word was found to be shared after threads had used it without a switch: the exploration restarts.
  nonisolated(unsafe) private static var isOutdated = false

  nonisolated(unsafe) private static var exploration = Exploration()
  nonisolated(unsafe) private static var bodies: [() -> Void] = []
  nonisolated(unsafe) private static var next: [Operation] = []
  nonisolated(unsafe) private static var ready = ThreadSet()
  /// The words on which threads sleep until they are woken, and on which threads spin until there is a write.
  nonisolated(unsafe) private static var sleeping: [UInt?] = []
  nonisolated(unsafe) private static var spinning: [UInt?] = []
  /// Whether the last load of each thread returned an older value than the latest.
  nonisolated(unsafe) private static var isBehind: [Bool] = []
  nonisolated(unsafe) private static let workers = Workers(count: threads)

  /// Runs the program once for every schedule, and returns the number of schedules.
  ///
  /// `prepare` creates the threads' bodies for each run; `check` examines the result. A redundant run is equivalent to
  /// an earlier one. Stops when `check` returns false.
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
    isBehind = Array(repeating: false, count: bodies.count)
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

  /// Runs the body of a worker thread, and marks it as ended.
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

  /// Records that the current thread uses the word.
  private static func note(_ index: Int) {
    if owners[index] != current, owners[index] >= 0, !isShared[index] {
      isShared[index] = true
      isOutdated = true
    }
    owners[index] = current
  }

  /// Yields to the other threads, in every possible order, then returns for the operation to be made.
  private static func offer(_ operation: Operation) {
    let me = current
    next[me] = operation
    hand(from: me)
  }

  /// Chooses the age of a load's value, below `count`: the number of stores that have overwritten the value.
  static func age(of count: UInt32) -> UInt32 {
    guard current != controller else { return 0 }
    let age = count > 1 && !isBehind[current] ? UInt32(exploration.chooseAge(of: Int(count))) : 0
    isBehind[current] = age > 0
    return age
  }

  /// Yields until another thread writes the word that this thread read last: an earlier read would return the same
  /// value, unless it was an old one.
  static func spin() {
    let me = current
    guard me != controller else { fatalError("the test would wait for ever") }
    if isBehind[me] { return }
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

/// The threads behind the scheduler's: coroutines, so that a switch needs no system call. They live as long as the
/// process.
private struct Workers {
  private let coroutines: [OpaquePointer]

  init(count: Int) {
    coroutines =
      (0..<count).map { index in
        coroutine_new({ Workers.run(Int(bitPattern: $0)) }, UnsafeMutableRawPointer(bitPattern: index))!
      } + [coroutine_here()!]
  }

  /// Resumes `other`; returns when a thread resumes `me`.
  func give(from me: Int, to other: Int) {
    coroutine_switch(coroutines[me], coroutines[other])
  }

  private static func run(_ index: Int) {
    while true { Scheduler.work(index) }
  }
}
