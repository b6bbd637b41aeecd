import CPromise
import Synchronization

/// Arguments of calls whose promise of the plugin was discarded. The plugin notices by its discard block, but its
/// threads may use the arguments until it has released the promise.
final class RetainedArguments: Sendable {
  private struct Entry {
    let arguments: ArgumentValues
    let promise: UInt
  }

  private let entries = Mutex<[Entry]>([])

  /// Keeps the arguments until the promise, whose handle is given as a number, is destroyed.
  func retain(_ arguments: ArgumentValues, until promise: UInt) {
    releaseUnused()
    entries.withLock { $0.append(Entry(arguments: arguments, promise: promise)) }
  }

  /// Releases the arguments that no plugin uses any more. The destruction of a promise calls no handler, so this is
  /// called at the beginning of each call by the host; a function that is invoked calls it only to retain more.
  func releaseUnused() {
    // Released outside the lock: a value's destructor may call any code.
    let released = entries.withLock { entries in
      guard !entries.isEmpty else { return [Entry]() }
      let split = entries.partition { promise_state(OpaquePointer(bitPattern: $0.promise)) == PROMISE_ESTALE }
      defer { entries.removeSubrange(split...) }
      return Array(entries[split...])
    }
    _ = consume released
  }

  /// Releases everything, after the last plugin code has run.
  func clear() {
    let released = entries.withLock { entries in
      defer { entries = [] }
      return entries
    }
    _ = consume released
  }

  var count: Int { entries.withLock(\.count) }
}
