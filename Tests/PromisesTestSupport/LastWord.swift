/// An object that calls a function when it is released: a test sees where a closure that holds it is.
package final class LastWord: Sendable {
  private let call: @Sendable () -> Void

  package init(_ call: @escaping @Sendable () -> Void) { self.call = call }

  deinit { call() }

  /// Does nothing: a closure that calls it holds the instance.
  package func touch() {}
}
