import Synchronization

/// A number that threads count up.
package final class Counter: Sendable {
  private let count = Atomic<Int>(0)

  package init() {}

  package func add() { count.add(1, ordering: .sequentiallyConsistent) }

  package var value: Int { count.load(ordering: .sequentiallyConsistent) }
}
