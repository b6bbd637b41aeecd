// A closure as the context of a C callback: one C function calls them all.
extension Context {
  init(_ block: @escaping () -> Void) {
    unsafe self.init(
      Unmanaged.passRetained(BlockBox(block)).toOpaque(),
      { _ = unsafe Unmanaged<BlockBox>.fromOpaque($0!).takeRetainedValue() })
  }

  /// Calls the closure in a context.
  static var call: FreeFunction {
    { unsafe Unmanaged<BlockBox>.fromOpaque($0!).takeUnretainedValue().block() }
  }
}

private final class BlockBox {
  let block: () -> Void
  init(_ block: @escaping () -> Void) { self.block = block }
}
