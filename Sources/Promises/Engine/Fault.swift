/// The errors with which the engine itself rejects a promise.
package enum Fault {
  case malformedValue, heldByItself, unknownVerdict, unknownStreamVerdict, cycle, tooManyReferences, outOfMemory
  case closed, timedOut, deadline, silent, unknownPublisher, full, finished

  /// The code of the error, a `promise_status_t`, and its message.
  private var row: (code: Int64, message: StaticString) {
    switch self {
    case .malformedValue: (-1, "the handler must store a value of a known kind in *out")
    case .heldByItself: (-1, "a promise cannot hold itself")
    case .unknownVerdict:
      (-1, "the handler must return PROMISE_FULFILL, PROMISE_REJECT, or PROMISE_ADOPT with a PROMISE in *out")
    case .unknownStreamVerdict: (-1, "the handler must return a verdict on an event, such as PROMISE_VERDICT_FULFILL")
    case .timedOut: (-5, "the promise was not settled in time")
    case .deadline: (-5, "the deadline of the token has passed")
    case .unknownPublisher: (-1, "the function must return a publisher, or NULL")
    case .silent: (-5, "the stream published no event in time")
    case .cycle: (-6, "the promise would wait for itself: the handler returned one that depends on it")
    case .tooManyReferences: (-7, "the value has too many references")
    case .outOfMemory: (-7, "memory has run out")
    case .closed: (-8, "the executor, loop or queue was closed, or dropped the handler")
    case .full: (-9, "the subscriber was sent more events than it has capacity for")
    case .finished: (-10, "the stream has finished: no value follows")
    }
  }

  /// An ERROR of the domain "promise"; VOID when memory has run out.
  package var value: CellValue { value(because: .void) }

  /// An ERROR with a cause; VOID: none. Takes ownership of the cause.
  func value(because cause: CellValue) -> CellValue {
    let domain: StaticString = "promise"
    let (code, message) = row
    return unsafe Box.error(
      domain: UnsafeBufferPointer(start: domain.utf8Start, count: domain.utf8CodeUnitCount), code: code,
      message: UnsafeBufferPointer(start: message.utf8Start, count: message.utf8CodeUnitCount),
      origin: UnsafeBufferPointer(start: nil, count: 0), cause: cause) ?? .void
  }
}
