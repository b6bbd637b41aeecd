/// A step that a thread takes on the shared promise.
enum Step: Character {
  /// Attaches a callback that settles no other promise.
  case observe = "o"
  /// Derives a promise, attaches a callback to it and releases it.
  case derive = "t"
  /// Derives a promise and releases it.
  case map = "m"
  case resolve = "r"
  case reject = "j"
  case discard = "d"
  /// Waits until the promise is settled.
  case wait = "w"

  var settles: Bool { self == .resolve || self == .reject || self == .discard }
}

/// A program of two or three threads: each holds a reference to the promise, takes its steps, and releases the
/// reference.
struct Script: CustomStringConvertible {
  var threads: [[Step]]
  /// Whether the test holds the promise too, so that it outlives the threads.
  var isHeld: Bool

  /// The steps that need no other thread.
  static let steps: [Step] = [.observe, .derive, .resolve, .reject, .discard]

  var settles: Bool { threads.joined().contains(where: \.settles) }

  var description: String {
    threads.map { String($0.map(\.rawValue)) }.joined(separator: "|") + (isHeld ? "+" : "")
  }

  /// Returns all sequences of up to `length` of the steps.
  static func sequences(of steps: [Step], upTo length: Int) -> [[Step]] {
    var all: [[Step]] = [[]]
    var longest = all
    for _ in 0..<length {
      longest = longest.flatMap { sequence in steps.map { sequence + [$0] } }
      all += longest
    }
    return all
  }

  /// Returns all programs in which each thread runs one of the sequences, up to a permutation of the threads.
  static func programs(threads: Int, of sequences: [[Step]]) -> [Script] {
    var choices: [[Int]] = [[]]
    for _ in 0..<threads {
      choices = choices.flatMap { chosen in ((chosen.last ?? 0)..<sequences.count).map { chosen + [$0] } }
    }
    return choices.flatMap { chosen in
      [true, false].map { Script(threads: chosen.map { sequences[$0] }, isHeld: $0) }
    }
  }
}
