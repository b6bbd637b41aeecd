import Synchronization

// The engine's sources are compiled into this module (Engine is a symbolic link), and this type stands before the one
// of Synchronization: each of the engine's atomic operations becomes a point where the scheduler may switch threads.
//
// One thread runs at a time, so the operations need no order of their own; every interleaving explored is sequentially
// consistent. What weaker orders allow is the thread sanitizer's to find, in PromisesTests/Stress.
package struct Atomic<Value: AtomicRepresentable>: ~Copyable
where Value.AtomicRepresentation == UInt64.AtomicRepresentation {
  private let content: Synchronization.Atomic<Value>

  package init(_ value: consuming Value) { content = Synchronization.Atomic(value) }

  private func pass(_ access: Access) {
    unsafe withUnsafePointer(to: self) { unsafe Scheduler.pass(access, UnsafeRawPointer($0)) }
  }

  package func load(ordering _: AtomicLoadOrdering) -> Value {
    pass(.read)
    return content.load(ordering: .sequentiallyConsistent)
  }

  package func store(_ desired: consuming Value, ordering _: AtomicStoreOrdering) {
    pass(.write)
    content.store(desired, ordering: .sequentiallyConsistent)
  }

  package func exchange(_ desired: consuming Value, ordering _: AtomicUpdateOrdering) -> Value {
    pass(.write)
    return content.exchange(desired, ordering: .sequentiallyConsistent)
  }

  func weakCompareExchange(
    expected: consuming Value, desired: consuming Value, ordering _: AtomicUpdateOrdering
  ) -> (exchanged: Bool, original: Value) {
    pass(.write)
    return content.compareExchange(expected: expected, desired: desired, ordering: .sequentiallyConsistent)
  }

  func weakCompareExchange(
    expected: consuming Value, desired: consuming Value, successOrdering _: AtomicUpdateOrdering,
    failureOrdering _: AtomicLoadOrdering
  ) -> (exchanged: Bool, original: Value) {
    pass(.write)
    return content.compareExchange(expected: expected, desired: desired, ordering: .sequentiallyConsistent)
  }
}

// One thread runs at a time.
extension Atomic: @unchecked Sendable {}

extension Atomic where Value == UInt64 {
  @discardableResult
  func bitwiseOr(_ operand: Value, ordering _: AtomicUpdateOrdering) -> (oldValue: Value, newValue: Value) {
    pass(.write)
    return content.bitwiseOr(operand, ordering: .sequentiallyConsistent)
  }

  @discardableResult
  func bitwiseAnd(_ operand: Value, ordering _: AtomicUpdateOrdering) -> (oldValue: Value, newValue: Value) {
    pass(.write)
    return content.bitwiseAnd(operand, ordering: .sequentiallyConsistent)
  }

  @discardableResult
  func wrappingAdd(_ operand: Value, ordering _: AtomicUpdateOrdering) -> (oldValue: Value, newValue: Value) {
    pass(.write)
    return content.wrappingAdd(operand, ordering: .sequentiallyConsistent)
  }

  @discardableResult
  func wrappingSubtract(_ operand: Value, ordering _: AtomicUpdateOrdering) -> (oldValue: Value, newValue: Value) {
    pass(.write)
    return content.wrappingSubtract(operand, ordering: .sequentiallyConsistent)
  }
}
