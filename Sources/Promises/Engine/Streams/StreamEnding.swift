/// The ending of a stream.
package enum StreamEnding {
  case finished
  /// Failed with a reason; each stored ending has a reference to it.
  case failed(CellValue)
  case cancelled
  /// Ended by the library itself.
  case fault(Fault)

  /// A copy to store elsewhere, with a reference to the reason.
  func copy() -> StreamEnding {
    if case .failed(let reason) = self, !reason.retain() { return .fault(.tooManyReferences) }
    return self
  }

  func release() {
    if case .failed(let reason) = self { reason.release() }
  }

  var isFinished: Bool {
    if case .finished = self { return true }
    return false
  }

  /// Settles a promise of an event, which is rejected also if the stream finished. The error is that of this
  /// subscriber: its cause is the id of the promise of the end. An event may have an error of the same code.
  func settle(_ promise: CellRef, inPlaceOfEventBefore end: CellRef?) {
    guard isFinished else { return settle(promise) }
    let id = end.map { CellValue(kind: .u64, bits: $0.token.bits) } ?? .void
    _ = promise.settle(Fault.finished.value(because: id), .rejected)
  }

  /// Settles the promise of the end.
  func settle(_ promise: CellRef) {
    switch self {
    case .finished: _ = promise.settle(.void, .fulfilled)
    case .failed(let reason):
      _ = promise.settle(reason.retain() ? reason : Fault.tooManyReferences.value, .rejected)
    case .cancelled: _ = promise.discard()
    case .fault(let fault): _ = promise.settle(fault.value, .rejected)
    }
  }
}
