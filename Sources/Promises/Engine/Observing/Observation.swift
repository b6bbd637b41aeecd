import Synchronization

/// The set of observers: hooks (Hooks.swift) and traces. Without observers, each place that would notify them costs one
/// test of one word, which is rarely written.
package enum Observation {
  /// A set of event classes.
  package struct Interests: Equatable {
    let rawValue: UInt64
    init(_ rawValue: UInt64) { self.rawValue = rawValue }

    static var none: Interests { Interests(0) }
    static var unhandledRejections: Interests { Interests(1) }
    static var secondSettlements: Interests { Interests(2) }
    static var lostPromises: Interests { Interests(4) }
    /// All classes that hooks receive.
    static var hooks: Interests { Interests(7) }
    static var trace: Interests { Interests(8) }

    static func | (one: Interests, other: Interests) -> Interests { Interests(one.rawValue | other.rawValue) }
  }

  /// The union of all observers' interests. Changed under `PLATFORM_LOCK_OBSERVERS`.
  static let interests = Atomic<UInt64>(0)

  /// Replaces the interests of one group of observers. Call with PLATFORM_LOCK_OBSERVERS held.
  static func change(_ those: Interests, to some: Interests) {
    let others = interests.load(ordering: .relaxed) & ~those.rawValue
    interests.store(others | some.rawValue, ordering: .relaxed)
  }

  /// Whether there is an observer.
  @inline(__always)
  static var isOn: Bool { _slowPath(interests.load(ordering: .relaxed) != 0) }

  static func wants(_ some: Interests) -> Bool { interests.load(ordering: .relaxed) & some.rawValue != 0 }
}

extension CellRef {
  /// The id of the promise in reports: its token, as a number. It is unique among all promises ever made. Valid for a
  /// dying promise, too.
  package var id: UInt64 {
    let life = self.life & ~(Life.kindMask | Life.holdersMask)
    return life | CellKind.promise.rawValue << Life.kindShift | UInt64(index)
  }
}
