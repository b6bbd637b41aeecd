/// How a stream ended.
package enum StreamEnding {
  case finished
  /// With a reason, a reference to which belongs to whoever keeps the ending.
  case failed(CellValue)
  case cancelled
  /// By the library itself.
  case fault(Fault)

  /// For one more to keep.
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

  /// Settles the promise of the end, or one of a value: that one is rejected when the stream finished, too.
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
