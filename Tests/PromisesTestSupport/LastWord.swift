/// An object that calls a function when it is released, so that a test sees where the closure that holds it is
/// released.
package final class LastWord: Sendable {
  private let call: @Sendable () -> Void

  package init(_ call: @escaping @Sendable () -> Void) { self.call = call }

  deinit { call() }

  /// Does nothing. A closure that calls it captures the instance.
  package func touch() {}
}
