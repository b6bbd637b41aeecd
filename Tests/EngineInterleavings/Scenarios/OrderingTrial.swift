/// One run of a program about reactions with an executor, which are submitted in the order in which they were attached.
///
/// The executor keeps its jobs; they run after the threads have ended. The promise is settled by the first thread. Each
/// reaction notes its number when it runs, and each thread's numbers must come in order.
final class OrderingTrial: Explorable {
  enum Program: CaseIterable {
    /// One thread attaches two while another settles.
    case attaching
    /// ... the promise, which has one already, and a callback before it that attaches another.
    case nested
    /// ... the source of the promise, which follows it.
    case following
    /// ... and releases the last reference in between.
    case releasing
  }

  static var programs: [Program] { Program.allCases }

  private let program: Program
  private let source = CellRef.promise()!
  private var promise: CellRef
  private var executor: CellExecutor!
  private var jobs: [Job] = []
  private var attached: [Int] = []
  private var ran: [Int] = []

  init(_ program: Program) {
    self.program = program
    promise = source
    executor = unsafe CellExecutor.make(
      { unsafe OrderingTrial.at($0).jobs.append(Job(submitted: $1)) },
      Context(Unmanaged.passUnretained(self).toOpaque(), nil))
    switch program {
    case .following: promise = source.follower()!
    case .nested:
      observe { self.attach(20) }
      attach(0)
    case .releasing:
      attach(0)
    case .attaching: break
    }
  }

  private static func at(_ context: UnsafeMutableRawPointer?) -> OrderingTrial {
    unsafe Unmanaged<OrderingTrial>.fromOpaque(context!).takeUnretainedValue()
  }

  private func observe(_ body: @escaping () -> Void) {
    _ = promise.react(isHeld: false) { _, _, _ in
      body()
      return .leave
    }
  }

  private func attach(_ number: Int) {
    attached.append(number)
    var plan = Job.Plan()
    plan.executor = executor
    plan.closure = StoredClosure { [unowned self] _, _, _ in
      self.ran.append(number)
      return .leave
    }
    _ = unsafe promise.react(plan, Context(nil, nil), references: 1)
  }

  var bodies: [() -> Void] {
    let settles = {
      _ = self.source.settle(.void, .fulfilled)
      if self.program == .releasing { self.source.release() }
    }
    let attaches = {
      self.attach(10)
      if self.program != .releasing { self.attach(11) }
      if self.program == .releasing { self.promise.release() }
    }
    switch program {
    case .attaching, .nested, .following: return [settles, attaches]
    case .releasing:
      _ = source.retain()
      return [settles, attaches]
    }
  }

  func end() {
    for job in jobs { _ = job.run() }
    jobs = []
    if program == .following { promise.release() }
    if program != .releasing { source.release() }
    executor.ref.release()
  }

  func violations() -> [String] {
    var wrong: [String] = []
    if ran.sorted() != attached.sorted() { wrong.append("attached \(attached), ran \(ran)") }
    // The reaction attached before the threads begin comes first; each thread's come in order.
    if attached.first == 0 && ran.first != 0 { wrong.append("not first: 0 in \(ran)") }
    for thread in 1...2 {
      let mine = ran.filter { $0 / 10 == thread }
      if mine != mine.sorted() { wrong.append("out of order: \(ran)") }
    }
    return wrong
  }
}
