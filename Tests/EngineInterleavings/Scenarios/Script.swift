/// What a thread does to the promise that all share.
enum Step: Character {
  /// Attaches a callback that settles nothing.
  case observe = "o"
  /// Derives a promise, with a callback on that, and lets go of it.
  case derive = "t"
  /// Derives a promise, and lets go of it.
  case map = "m"
  case resolve = "r"
  case reject = "j"
  case discard = "d"
  /// Sleeps until the promise is settled.
  case wait = "w"

  var settles: Bool { self == .resolve || self == .reject || self == .discard }
}

/// A program of two or three threads: each has a reference to the promise, makes its steps, and lets go of it.
struct Script: CustomStringConvertible {
  var threads: [[Step]]
  /// The test holds the promise too, so that it outlives the threads.
  var isHeld: Bool

  /// Those that need no other thread.
  static let steps: [Step] = [.observe, .derive, .resolve, .reject, .discard]

  var settles: Bool { threads.joined().contains(where: \.settles) }

  var description: String {
    threads.map { String($0.map(\.rawValue)) }.joined(separator: "|") + (isHeld ? "+" : "")
  }

  /// All sequences of up to `length` of the steps.
  static func sequences(of steps: [Step], upTo length: Int) -> [[Step]] {
    var all: [[Step]] = [[]]
    var longest = all
    for _ in 0..<length {
      longest = longest.flatMap { sequence in steps.map { sequence + [$0] } }
      all += longest
    }
    return all
  }

  /// All programs whose threads each make one of the sequences, but for the threads' order.
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
