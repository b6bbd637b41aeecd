/// Calls a closure when it is released.
package final class Sentinel: Sendable {
  private let onRelease: @Sendable () -> Void
  package init(_ onRelease: @escaping @Sendable () -> Void) { self.onRelease = onRelease }
  deinit { onRelease() }
  package func touch() {}
  package func name(_ name: String) -> String { name }
}
