import CPromise
import Synchronization

/// Arguments of calls that were discarded while the plugin was at work. It learns of that from its discard block, but
/// what it was lent must stay until it has let go: which is when it has released its promise.
final class Graveyard: Sendable {
  private struct Grave {
    let arguments: ArgumentValues
    let promise: CallTable.Handle
  }

  private let graves = Mutex<[Grave]>([])

  /// Keeps the arguments until nobody holds the promise any more.
  func bury(_ arguments: ArgumentValues, until promise: CallTable.Handle) {
    sweep()
    graves.withLock { $0.append(Grave(arguments: arguments, promise: promise)) }
  }

  /// Frees what is not in use any more. Nobody is told when a promise goes, so this is asked whenever a call begins.
  func sweep() {
    // Released outside the lock: the end of a value may call anybody.
    let released = graves.withLock { graves in
      guard !graves.isEmpty else { return [Grave]() }
      let split = graves.partition { promise_state(OpaquePointer(bitPattern: $0.promise)) == PROMISE_ESTALE }
      defer { graves.removeSubrange(split...) }
      return Array(graves[split...])
    }
    _ = consume released
  }

  /// Frees everything: no code of a plugin runs any more.
  func clear() {
    let released = graves.withLock { graves in
      defer { graves = [] }
      return graves
    }
    _ = consume released
  }

  var count: Int { graves.withLock(\.count) }
}
