import Mutating

/// The verdict on a mutation.
struct Result {
  enum Verdict: Equatable {
    /// A test failed, by a check, by a signal, or by a timeout.
    case killed(by: String, how: String)
    /// Every test that reaches it passed; the number of tests that were skipped for lack of time.
    case survived(passed: Int, left: Int)
    /// The tests named by a row pass; another test fails, if there is one.
    case misnamed(by: String?)
    /// The row declares the mutation equivalent.
    case equivalent
    /// The row declares the mutation equivalent, and a test fails.
    case refuted(by: String)
    /// No test runs the code.
    case notReached
    /// Left out: it does not compile, or a switch cannot express it.
    case leftOut
  }

  let mutation: Mutation
  /// The number of its switch in this build.
  let number: Int
  let verdict: Verdict
  let seconds: Double

  var word: String {
    switch verdict {
    case .killed: "killed"
    case .survived: "survived"
    case .misnamed: "misnamed"
    case .equivalent: "equivalent"
    case .refuted: "refuted"
    case .notReached: "not reached"
    case .leftOut: "left out"
    }
  }

  /// Whether all tests pass, although the mutation is not declared equivalent.
  var isUnnoticed: Bool {
    switch verdict {
    case .survived, .notReached: true
    default: false
    }
  }

  /// Whether a test is missing, or the code of a row does not compile.
  var isGap: Bool {
    switch verdict {
    case .survived, .misnamed, .refuted, .notReached: true
    case .leftOut: mutation.kind == .row
    case .killed, .equivalent: false
    }
  }
}
