/// A FIFO of jobs, linked through `meta`, which a submitted job does not use otherwise. Not thread-safe: guarded by its
/// owner.
struct JobQueue {
  private var first: UInt32 = 0
  private var last: UInt32 = 0
  private(set) var count = 0

  var isEmpty: Bool { first == 0 }

  mutating func push(_ job: Job) {
    unsafe job.ref.cell.pointee.meta = 0
    if last == 0 {
      first = job.ref.index
    } else {
      unsafe CellRef(index: last).cell.pointee.meta = job.ref.index
    }
    last = job.ref.index
    count += 1
  }

  mutating func pop() -> Job? {
    guard first != 0 else { return nil }
    let job = Job(CellRef(index: first))
    first = unsafe job.ref.cell.pointee.meta
    if first == 0 { last = 0 }
    count -= 1
    return job
  }

  /// Appends all jobs of another queue.
  mutating func append(_ other: JobQueue) {
    guard other.first != 0 else { return }
    if last == 0 {
      first = other.first
    } else {
      unsafe CellRef(index: last).cell.pointee.meta = other.first
    }
    last = other.last
    count += other.count
  }

  /// Drops every job. The callbacks of their promises run, so no lock may be held.
  consuming func drop() {
    var rest = self
    while let job = rest.pop() { _ = job.drop() }
  }

  /// Whether a queued job satisfies `holds`.
  func contains(where holds: (Job) -> Bool) -> Bool {
    var index = first
    while index != 0 {
      let job = Job(CellRef(index: index))
      if holds(job) { return true }
      index = unsafe job.ref.cell.pointee.meta
    }
    return false
  }
}
