import CRaces
import Synchronization

// The engine's sources are compiled into this module (Engine is a symbolic link), and this type shadows the one of
// Synchronization: each atomic operation of the engine becomes a point where the scheduler may switch threads.
//
// One thread runs at a time, so the operations need no memory ordering. The orderings that the engine requests are
// passed to the memory model (races.h), which finds plain data that they fail to publish, and the values that a load
// may return. Without the instrumentation, every interleaving explored is sequentially consistent.
package struct Atomic<Value: AtomicRepresentable>: ~Copyable
where Value.AtomicRepresentation == UInt64.AtomicRepresentation {
  fileprivate let content: Synchronization.Atomic<Value>

  package init(_ value: Value) { content = Synchronization.Atomic(value) }

  fileprivate func pass(_ access: Access) {
    unsafe withUnsafePointer(to: self) { unsafe Scheduler.pass(access, UnsafeRawPointer($0)) }
  }

  fileprivate var latest: Value { content.load(ordering: .sequentiallyConsistent) }

  package func load(ordering: AtomicLoadOrdering) -> Value {
    pass(.read)
    return load(ordering.races, latest)
  }

  private func load(_ ordering: races_ordering_t, _ latest: Value) -> Value {
    unsafe withUnsafePointer(to: self) { word in
      let bits = unsafe unsafeBitCast(latest, to: UInt64.self)
      let age = unsafe Scheduler.age(of: unsafe races_visible(word, bits, ordering))
      return unsafe unsafeBitCast(races_load(word, age, bits, ordering), to: Value.self)
    }
  }

  package func store(_ desired: Value, ordering: AtomicStoreOrdering) {
    pass(.write)
    unsafe withUnsafePointer(to: self) { word in
      unsafe CellPool.noteUpdate(UnsafeRawPointer(word))
      unsafe races_store(
        word, unsafeBitCast(latest, to: UInt64.self), unsafeBitCast(desired, to: UInt64.self), ordering.races)
    }
    content.store(desired, ordering: .sequentiallyConsistent)
  }

  package func exchange(_ desired: Value, ordering: AtomicUpdateOrdering) -> Value {
    pass(.write)
    let old = content.exchange(desired, ordering: .sequentiallyConsistent)
    report(old, desired, ordering)
    return old
  }

  fileprivate func report(_ old: Value, _ new: Value, _ ordering: AtomicUpdateOrdering) {
    unsafe withUnsafePointer(to: self) { word in
      unsafe CellPool.noteUpdate(UnsafeRawPointer(word))
      unsafe races_exchange(
        word, unsafeBitCast(old, to: UInt64.self), unsafeBitCast(new, to: UInt64.self), ordering.races)
    }
  }

  func weakCompareExchange(
    expected: Value, desired: Value, ordering: AtomicUpdateOrdering
  ) -> (exchanged: Bool, original: Value) {
    // On failure, its load is as strong as on success.
    compareExchange(expected, desired, ordering, onFailure: ordering.races)
  }

  func weakCompareExchange(
    expected: Value, desired: Value, successOrdering: AtomicUpdateOrdering,
    failureOrdering: AtomicLoadOrdering
  ) -> (exchanged: Bool, original: Value) {
    compareExchange(expected, desired, successOrdering, onFailure: failureOrdering.races)
  }

  private func compareExchange(
    _ expected: Value, _ desired: Value, _ ordering: AtomicUpdateOrdering,
    onFailure: races_ordering_t
  ) -> (exchanged: Bool, original: Value) {
    pass(.write)
    let result = content.compareExchange(expected: expected, desired: desired, ordering: .sequentiallyConsistent)
    if result.exchanged {
      report(result.original, desired, ordering)
    } else {
      unsafe withUnsafePointer(to: self) { word in
        _ = unsafe races_load(word, 0, unsafeBitCast(result.original, to: UInt64.self), onFailure)
      }
    }
    return result
  }
}

extension Atomic: @unchecked Sendable {}

extension Atomic where Value == UInt64 {
  private func update(
    _ ordering: AtomicUpdateOrdering, _ change: (UInt64) -> UInt64
  ) -> (oldValue: Value, newValue: Value) {
    pass(.write)
    let old = latest
    let new = change(old)
    content.store(new, ordering: .sequentiallyConsistent)
    report(old, new, ordering)
    return (old, new)
  }

  @discardableResult
  func bitwiseOr(_ operand: Value, ordering: AtomicUpdateOrdering) -> (oldValue: Value, newValue: Value) {
    update(ordering) { $0 | operand }
  }

  @discardableResult
  func bitwiseAnd(_ operand: Value, ordering: AtomicUpdateOrdering) -> (oldValue: Value, newValue: Value) {
    update(ordering) { $0 & operand }
  }

  @discardableResult
  func wrappingAdd(_ operand: Value, ordering: AtomicUpdateOrdering) -> (oldValue: Value, newValue: Value) {
    update(ordering) { $0 &+ operand }
  }

  @discardableResult
  func wrappingSubtract(_ operand: Value, ordering: AtomicUpdateOrdering) -> (oldValue: Value, newValue: Value) {
    update(ordering) { $0 &- operand }
  }
}

/// Makes a sequentially consistent fence. A weaker one is ignored, because the engine has none.
func atomicMemoryFence(ordering: AtomicUpdateOrdering) {
  if ordering == .sequentiallyConsistent { races_fence() }
}

extension races_ordering_t {
  fileprivate init(acquires: Bool, releases: Bool, isSequential: Bool) {
    self.init((acquires ? 1 : 0) | (releases ? 2 : 0) | (isSequential ? 4 : 0))
  }
}

extension AtomicLoadOrdering {
  fileprivate var races: races_ordering_t {
    races_ordering_t(acquires: self != .relaxed, releases: false, isSequential: self == .sequentiallyConsistent)
  }
}

extension AtomicStoreOrdering {
  fileprivate var races: races_ordering_t {
    races_ordering_t(acquires: false, releases: self != .relaxed, isSequential: self == .sequentiallyConsistent)
  }
}

extension AtomicUpdateOrdering {
  fileprivate var races: races_ordering_t {
    races_ordering_t(
      acquires: self != .relaxed && self != .releasing, releases: self != .relaxed && self != .acquiring,
      isSequential: self == .sequentiallyConsistent)
  }
}
