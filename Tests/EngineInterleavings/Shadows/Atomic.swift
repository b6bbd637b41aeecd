import CRaces
import Synchronization

// The engine's sources are compiled into this module (Engine is a symbolic link), and this type shadows the one of
// Synchronization: each atomic operation of the engine becomes a point where the scheduler may switch threads.
//
// One thread runs at a time, so the operations need no memory ordering; every interleaving explored is sequentially
// consistent. The orderings that the engine requests are reported to the race detector (races.h), which finds plain
// data that they fail to publish.
package struct Atomic<Value: AtomicRepresentable>: ~Copyable
where Value.AtomicRepresentation == UInt64.AtomicRepresentation {
  private let content: Synchronization.Atomic<Value>

  package init(_ value: consuming Value) { content = Synchronization.Atomic(value) }

  private func pass(_ access: Access) {
    unsafe withUnsafePointer(to: self) { unsafe Scheduler.pass(access, UnsafeRawPointer($0)) }
  }

  private func report(_ operation: races_operation_t, acquires: Bool, releases: Bool) {
    unsafe withUnsafePointer(to: self) { unsafe races_atomic($0, operation, acquires, releases) }
  }

  private func reportUpdate(_ ordering: AtomicUpdateOrdering) {
    unsafe withUnsafePointer(to: self) { unsafe CellPool.noteUpdate(UnsafeRawPointer($0)) }
    report(RACES_EXCHANGE, acquires: ordering.acquires, releases: ordering.releases)
  }

  package func load(ordering: AtomicLoadOrdering) -> Value {
    pass(.read)
    report(RACES_LOAD, acquires: ordering.acquires, releases: false)
    return content.load(ordering: .sequentiallyConsistent)
  }

  package func store(_ desired: consuming Value, ordering: AtomicStoreOrdering) {
    pass(.write)
    unsafe withUnsafePointer(to: self) { unsafe CellPool.noteUpdate(UnsafeRawPointer($0)) }
    report(RACES_STORE, acquires: false, releases: ordering.releases)
    content.store(desired, ordering: .sequentiallyConsistent)
  }

  package func exchange(_ desired: consuming Value, ordering: AtomicUpdateOrdering) -> Value {
    pass(.write)
    reportUpdate(ordering)
    return content.exchange(desired, ordering: .sequentiallyConsistent)
  }

  func weakCompareExchange(
    expected: consuming Value, desired: consuming Value, ordering: AtomicUpdateOrdering
  ) -> (exchanged: Bool, original: Value) {
    // On failure, its load is as strong as on success.
    compareExchange(expected, desired, ordering, acquiresOnFailure: ordering.acquires)
  }

  func weakCompareExchange(
    expected: consuming Value, desired: consuming Value, successOrdering: AtomicUpdateOrdering,
    failureOrdering: AtomicLoadOrdering
  ) -> (exchanged: Bool, original: Value) {
    compareExchange(expected, desired, successOrdering, acquiresOnFailure: failureOrdering.acquires)
  }

  private func compareExchange(
    _ expected: consuming Value, _ desired: consuming Value, _ ordering: AtomicUpdateOrdering, acquiresOnFailure: Bool
  ) -> (exchanged: Bool, original: Value) {
    pass(.write)
    let result = content.compareExchange(expected: expected, desired: desired, ordering: .sequentiallyConsistent)
    if result.exchanged {
      reportUpdate(ordering)
    } else {
      report(RACES_LOAD, acquires: acquiresOnFailure, releases: false)
    }
    return result
  }
}

extension Atomic: @unchecked Sendable {}

extension Atomic where Value == UInt64 {
  @discardableResult
  func bitwiseOr(_ operand: Value, ordering: AtomicUpdateOrdering) -> (oldValue: Value, newValue: Value) {
    pass(.write)
    reportUpdate(ordering)
    return content.bitwiseOr(operand, ordering: .sequentiallyConsistent)
  }

  @discardableResult
  func bitwiseAnd(_ operand: Value, ordering: AtomicUpdateOrdering) -> (oldValue: Value, newValue: Value) {
    pass(.write)
    reportUpdate(ordering)
    return content.bitwiseAnd(operand, ordering: .sequentiallyConsistent)
  }

  @discardableResult
  func wrappingAdd(_ operand: Value, ordering: AtomicUpdateOrdering) -> (oldValue: Value, newValue: Value) {
    pass(.write)
    reportUpdate(ordering)
    return content.wrappingAdd(operand, ordering: .sequentiallyConsistent)
  }

  @discardableResult
  func wrappingSubtract(_ operand: Value, ordering: AtomicUpdateOrdering) -> (oldValue: Value, newValue: Value) {
    pass(.write)
    reportUpdate(ordering)
    return content.wrappingSubtract(operand, ordering: .sequentiallyConsistent)
  }
}

extension AtomicLoadOrdering {
  fileprivate var acquires: Bool { self != .relaxed }
}

extension AtomicStoreOrdering {
  fileprivate var releases: Bool { self != .relaxed }
}

extension AtomicUpdateOrdering {
  fileprivate var acquires: Bool { self != .relaxed && self != .releasing }
  fileprivate var releases: Bool { self != .relaxed && self != .acquiring }
}
