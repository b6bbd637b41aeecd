import Synchronization

/// Who looks on: hooks (Hooks.swift) and traces. While nobody does, each place that would tell them something costs one
/// test of one word, which is never written.
package enum Observation {
  /// What somebody wants to hear of.
  package struct Interests: Equatable {
    let rawValue: UInt64
    init(_ rawValue: UInt64) { self.rawValue = rawValue }

    static var none: Interests { Interests(0) }
    static var unhandledRejections: Interests { Interests(1) }
    static var secondSettlements: Interests { Interests(2) }
    static var lostPromises: Interests { Interests(4) }
    /// All that hooks are for.
    static var hooks: Interests { Interests(7) }
    static var trace: Interests { Interests(8) }

    static func | (one: Interests, other: Interests) -> Interests { Interests(one.rawValue | other.rawValue) }
  }

  /// The interests of all. Changed under `PLATFORM_LOCK_OBSERVERS`.
  static let interests = Atomic<UInt64>(0)

  /// Notes what some want to hear of from now on. The lock is held.
  static func change(_ those: Interests, to some: Interests) {
    let others = interests.load(ordering: .relaxed) & ~those.rawValue
    interests.store(others | some.rawValue, ordering: .relaxed)
  }

  /// Whether anybody wants to hear of anything.
  @inline(__always)
  static var isOn: Bool { _slowPath(interests.load(ordering: .relaxed) != 0) }

  static func wants(_ some: Interests) -> Bool { interests.load(ordering: .relaxed) & some.rawValue != 0 }
}

extension CellRef {
  /// What the promise is called in reports: its token, as a number. No other promise ever has it. The promise may be
  /// dying.
  package var id: UInt64 {
    let life = unsafe cell.pointee.life.load(ordering: .relaxed) & ~(Life.kindMask | Life.holdersMask)
    return life | CellKind.promise.rawValue << Life.kindShift | UInt64(index)
  }
}
