#if Metrics
public import CoreMetrics
import Promises
import PromisesDiagnostics
import Synchronization

/// Counts the promises of the process, in every language, from its creation until it is stopped or released.
///
/// | metric | type | meaning |
/// | --- | --- | --- |
/// | `promises.created` | counter | promises created |
/// | `promises.fulfilled`, `promises.rejected` | counters | promises settled; rejections include cancellations |
/// | `promises.dropped` | counter | promises destroyed while pending |
/// | `promises.pending` | meter | promises created since the start that are pending |
/// | `promises.lifetime` | timer | the time from creation to settlement, of promises created since the start |
///
/// Each event of a promise costs a lock and a call of the metrics system. Without an instance nothing is counted.
public final class PromiseMetrics: Sendable {
  private let observer: PromiseEvents.Observer

  /// Starts to count. A recording of `PromiseTrace` ends: see `PromiseEvents.observe(_:)`.
  ///
  /// - Parameters:
  ///   - prefix: the first part of the labels.
  ///   - factory: makes the metrics.
  /// - Thread: any.
  public init(prefix: String = "promises", factory: any MetricsFactory = MetricsSystem.factory) {
    let instruments = Instruments(prefix, factory)
    observer = PromiseEvents.observe { instruments.record($0) }
  }

  /// Stops counting, and keeps the values. Idempotent.
  ///
  /// - Thread: any.
  public func stop() { observer.stop() }
}

private final class Instruments: Sendable {
  private let created, fulfilled, rejected, dropped: Counter
  private let pending: Meter
  private let lifetime: Timer
  /// The ids and creation times of pending promises, by the indices of their cells: the lower halves of the ids, which
  /// later promises reuse. So the table is bounded even if an end is missed.
  private let creations = Mutex<[UInt32: (id: UInt64, time: Int64)]>([:])

  init(_ prefix: String, _ factory: any MetricsFactory) {
    created = Counter(label: "\(prefix).created", factory: factory)
    fulfilled = Counter(label: "\(prefix).fulfilled", factory: factory)
    rejected = Counter(label: "\(prefix).rejected", factory: factory)
    dropped = Counter(label: "\(prefix).dropped", factory: factory)
    pending = Meter(label: "\(prefix).pending", factory: factory)
    lifetime = Timer(label: "\(prefix).lifetime", factory: factory)
  }

  func record(_ event: PromiseTrace.Event) {
    switch event.kind {
    case .created:
      creations.withLock { $0[UInt32(truncatingIfNeeded: event.id)] = (event.id, event.time) }
      created.increment()
      pending.increment()
    case .settled(let state):
      (state == .rejected ? rejected : fulfilled).increment()
      if let creation = end(event.id) { lifetime.recordNanoseconds(event.time - creation) }
    case .dropped:
      dropped.increment()
      _ = end(event.id)
    case .attached, .began, .ended: break
    }
  }

  /// Removes a promise from the pending ones, and returns its creation time; nil if it was created before the start.
  private func end(_ id: UInt64) -> Int64? {
    let creation = creations.withLock { creations -> Int64? in
      let index = UInt32(truncatingIfNeeded: id)
      guard let creation = creations[index], creation.id == id else { return nil }
      creations[index] = nil
      return creation.time
    }
    if creation != nil { pending.decrement() }
    return creation
  }
}
#endif
