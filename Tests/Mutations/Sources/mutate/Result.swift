import Mutating

/// What became of a mutation.
struct Result {
  enum Verdict: Equatable {
    /// A test failed, by itself, by a signal, or after its time.
    case killed(by: String, how: String)
    /// Every test that reaches it passed; so many were left for want of time.
    case survived(passed: Int, left: Int)
    /// A row whose tests pass; another fails, if there is one.
    case misnamed(by: String?)
    /// A row says why nobody can tell.
    case equivalent
    /// A row says that nobody can tell, and a test can.
    case told(by: String)
    /// No test runs the code.
    case notReached
    /// A switch cannot express it.
    case leftOut
  }

  let mutation: Mutation
  /// Of its switch, in this build.
  let number: Int
  let verdict: Verdict
  let seconds: Double

  var word: String {
    switch verdict {
    case .killed: "killed"
    case .survived: "survived"
    case .misnamed: "misnamed"
    case .equivalent: "equivalent"
    case .told: "told"
    case .notReached: "not reached"
    case .leftOut: "left out"
    }
  }

  /// Whether a test is missing.
  var isGap: Bool {
    switch verdict {
    case .survived, .misnamed, .told, .notReached: true
    case .killed, .equivalent, .leftOut: false
    }
  }
}
