/// Races between one thread that settles and one that attaches callbacks to the same promise.
package enum AttachingRace {
  private static let rounds = 1000
  private static let perRound = 6

  /// The number of callbacks in all rounds.
  package static let callbacks = rounds * perRound

  /// The calls of one round.
  package struct Round {
    let settle: () -> Void
    let attach: (_ callback: @escaping @Sendable () -> Void) -> Void

    package init(settle: @escaping () -> Void, attach: @escaping (_ callback: @escaping @Sendable () -> Void) -> Void) {
      self.settle = settle
      self.attach = attach
    }
  }

  /// Returns in how many rounds the callbacks did not run in the order of attachment. `body` is called in each
  /// callback.
  package static func disorders(_ body: @escaping @Sendable () -> Void = {}, _ makeRound: () -> Round) -> Int {
    var disorders = 0
    for _ in 0..<rounds {
      let ran = Channel<Int>()
      let round = makeRound()
      onThreads(2) { thread in
        guard thread > 0 else { return round.settle() }
        for number in 0..<perRound {
          round.attach {
            body()
            ran.send(number)
          }
        }
      }
      let order = (0..<perRound).map { _ in ran.receive() }
      if order != Array(0..<perRound) { disorders += 1 }
    }
    return disorders
  }
}
