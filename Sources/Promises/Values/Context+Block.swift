// A closure as a C callback's context: what calls it is one function for all.
extension Context {
  init(_ block: @escaping () -> Void) {
    unsafe self.init(
      Unmanaged.passRetained(BlockBox(block)).toOpaque(),
      { _ = unsafe Unmanaged<BlockBox>.fromOpaque($0!).takeRetainedValue() })
  }

  /// Calls the closure that a context is.
  static var call: FreeFunction {
    { unsafe Unmanaged<BlockBox>.fromOpaque($0!).takeUnretainedValue().block() }
  }
}

private final class BlockBox {
  let block: () -> Void
  init(_ block: @escaping () -> Void) { self.block = block }
}
