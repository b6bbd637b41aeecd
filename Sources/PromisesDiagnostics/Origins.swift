import Promises
import Runtime
import Synchronization

/// The origins of the promises created or named while places are recorded.
///
/// Entries are keyed by the index of the promise's cell, the lower half of its id. Later promises reuse the index, so
/// the table is as large as the greatest number of promises at one time, and no entry need be removed.
final class Origins: Sendable {
  private struct Entry {
    let id: UInt64
    var origin: PromiseOrigin
  }

  private let entries = Mutex<[UInt32: Entry]>([:])

  /// Records up to `limit` calls of this thread as the origin of a promise that is being created.
  func note(_ id: UInt64, calls limit: Int) {
    let calls = try? Backtrace.capture(algorithm: .fast, limit: limit, offset: 0, top: 0)
    entries.withLock { $0[UInt32(truncatingIfNeeded: id)] = Entry(id: id, origin: PromiseOrigin(calls: calls)) }
  }

  func name(_ id: UInt64, _ name: String, _ place: PromiseOrigin.Place) {
    entries.withLock { entries in
      let index = UInt32(truncatingIfNeeded: id)
      var origin = entries[index].flatMap { $0.id == id ? $0.origin : nil } ?? PromiseOrigin()
      origin.name = name
      origin.naming = place
      entries[index] = Entry(id: id, origin: origin)
    }
  }

  subscript(_ id: UInt64) -> PromiseOrigin? {
    entries.withLock { entries in
      entries[UInt32(truncatingIfNeeded: id)].flatMap { $0.id == id ? $0.origin : nil }
    }
  }
}
