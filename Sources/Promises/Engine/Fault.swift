/// The errors with which the engine itself rejects a promise.
package enum Fault {
  case malformedValue, heldByItself, unknownVerdict, cycle, tooManyReferences, outOfMemory, closed, timedOut, deadline
  case full, finished, unknownStreamVerdict

  /// The error's code, a `promise_status_t`.
  package var status: Int64 {
    switch self {
    case .malformedValue, .heldByItself, .unknownVerdict, .unknownStreamVerdict: -1
    case .cycle: -6
    case .tooManyReferences, .outOfMemory: -7
    case .closed: -8
    case .timedOut, .deadline: -5
    case .full: -9
    case .finished: -10
    }
  }

  private var message: StaticString {
    switch self {
    case .malformedValue: "the handler left a value of no known kind"
    case .heldByItself: "a promise cannot hold itself"
    case .unknownVerdict:
      "the handler must return PROMISE_FULFILL, PROMISE_REJECT, or PROMISE_ADOPT with a PROMISE in *out"
    case .unknownStreamVerdict: "the handler returned a number that is no verdict for an event of a stream"
    case .cycle: "the promise would wait for itself: the handler returned one that depends on it"
    case .tooManyReferences: "the value has too many references"
    case .outOfMemory: "memory has run out"
    case .closed: "the executor, loop or queue was closed, or dropped the handler"
    case .timedOut: "the promise was not settled in time"
    case .deadline: "the deadline of the token has come"
    case .full: "the subscriber was sent more events than it has room for"
    case .finished: "the stream has finished: no value comes any more"
    }
  }

  /// An ERROR of the domain "promise"; VOID when memory has run out.
  package var value: CellValue {
    let domain: StaticString = "promise"
    return unsafe Box.error(
      domain: UnsafeBufferPointer(start: domain.utf8Start, count: domain.utf8CodeUnitCount), code: status,
      message: UnsafeBufferPointer(start: message.utf8Start, count: message.utf8CodeUnitCount)) ?? .void
  }
}
