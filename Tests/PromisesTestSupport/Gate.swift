/// Stays closed until it is opened, once and forever. Waiting blocks the thread.
package final class Gate: Sendable {
  private let closures: Monitor<Int>

  /// A gate that is open after `count` calls of `open()`.
  package init(count: Int = 1) { closures = Monitor(count) }

  package func open() { closures.withLock { $0 -= 1 } }

  /// Blocks until the gate is open.
  package func wait() { closures.wait { $0 <= 0 ? () : nil } }

  /// Calls `open()`, then `wait()`: as many threads as the gate's count leave together.
  package func meet() {
    open()
    wait()
  }
}
