/// One run of a program about reactions with an executor, which are submitted in the order of attachment.
///
/// The executor queues its jobs; they run after the threads have ended. The first thread settles the promise. Each
/// reaction records its number when it runs, and the numbers of each thread must be ascending.
final class OrderingTrial: Explorable {
  enum Program: CaseIterable {
    /// One thread attaches two reactions while another settles the promise.
    case attaching
    /// The promise has a reaction already, and before it a callback that attaches another.
    case nested
    /// The other thread settles the source that the promise follows.
    case following
    /// Each thread ends by releasing a reference to the promise; either release may be the last.
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
    _ = promise.react(returnsPromise: false) { _, _, _ in
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
    _ = unsafe promise.react(&plan, Context(nil, nil), references: 1)
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
    // The reaction attached before the threads begin is first; those of each thread are in order.
    if attached.first == 0 && ran.first != 0 { wrong.append("not first: 0 in \(ran)") }
    for thread in 1...2 {
      let mine = ran.filter { $0 / 10 == thread }
      if mine != mine.sorted() { wrong.append("out of order: \(ran)") }
    }
    return wrong
  }
}
