import Synchronization

// A promise on demand notifies its maker of readers: its value is fetched only when a reader comes.
//
// A reader is a callback, a derived promise, a wait, or a look at the state. A promise on demand is `slow`, like every
// promise with a discard block, so a reader of any other promise tests one bit of its state.

/// The closures of a promise on demand. They are released with its discard block.
package final class DemandBlock {
  fileprivate let discard: () -> Void
  /// Runs at most once, within a request to cancel the promise, before the handlers of the request.
  fileprivate let requestCancel: () -> Void
  /// Gets the promise, which the reader keeps until the closure has returned.
  fileprivate let read: (CellRef) -> Void

  package init(
    discard: @escaping () -> Void, requestCancel: @escaping () -> Void, read: @escaping (CellRef) -> Void
  ) {
    self.discard = discard
    self.requestCancel = requestCancel
    self.read = read
  }
}

extension CellRef {
  /// Returns a pending promise that calls the closures of the block: `discard` as a discard block, and `read` for each
  /// reader that comes while it is pending, on the reader's thread, after the reader is attached. Nil when memory has
  /// run out.
  package static func onDemand(_ block: DemandBlock) -> CellRef? {
    let context = unsafe Context(
      Unmanaged.passRetained(block).toOpaque(),
      { _ = unsafe Unmanaged<DemandBlock>.fromOpaque($0.unsafelyUnwrapped).takeRetainedValue() })
    let promise = unsafe CellRef.discardable(
      { unsafe Unmanaged<DemandBlock>.fromOpaque($0.unsafelyUnwrapped).takeUnretainedValue().discard() }, context)
    promise?.mark(DiscardBlock.onDemand)
    return promise
  }

  /// Notifies the maker of a reader if the promise is on demand.
  @inline(__always)
  func noteReader() {
    if state.isSlow { demand() }
  }

  /// Whether the promise is on demand. Call only if it has a discard block.
  var isOnDemand: Bool { meta & DiscardBlock.onDemand != 0 }

  @inline(never)
  private func demand() {
    // The settlement of the promise releases the block, but not during the hold: retain the block meanwhile.
    guard hold() == .held else { return }
    let block = heldDemand
    unhold()
    block?.read(self)
  }

  /// The block of the promise, which is held; nil if the promise is not on demand.
  private var heldDemand: DemandBlock? {
    unsafe isDiscardable(state) && isOnDemand
      ? Unmanaged<DemandBlock>.fromOpaque(contextPointer.unsafelyUnwrapped).takeUnretainedValue() : nil
  }

  /// The closure that a request to cancel the promise, which is held, runs; nil if the promise is not on demand.
  var heldCancelRequest: (() -> Void)? { heldDemand?.requestCancel }
}
