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

  /// Settles the promise of the end, or with `isOfValue` a promise of a value, which is rejected also if the stream
  /// finished.
  func settle(_ promise: CellRef, isOfValue: Bool = false) {
    switch self {
    case .finished where isOfValue: _ = promise.settle(Fault.finished.value, .rejected)
    case .finished: _ = promise.settle(.void, .fulfilled)
    case .failed(let reason):
      _ = promise.settle(reason.retain() ? reason : Fault.tooManyReferences.value, .rejected)
    case .cancelled: _ = promise.discard()
    case .fault(let fault): _ = promise.settle(fault.value, .rejected)
    }
  }
}
