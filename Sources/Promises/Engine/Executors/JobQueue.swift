/// A FIFO of jobs.
typealias JobQueue = CountedQueue<JobLink>

/// Links jobs through `meta`, which a submitted job does not use otherwise.
enum JobLink: CellLink {
  typealias View = Job
  static var offset: Int { Cell.metaOffset }
}

extension CountedQueue where Link == JobLink {
  /// Drops every job. The callbacks of their promises run, so no lock may be held.
  consuming func drop() {
    var rest = self
    while let job = rest.pop() { _ = job.drop() }
  }
}
