/// A user's functions that map, filter or replace events.
@safe
package struct Transform {
  let onValue: Handler?
  let onError: Handler?
  /// Receives VOID, the reason, or a DISCARDED.
  let onEnd: Handler?
  let context: Context

  package init(onValue: Handler?, onError: Handler?, onEnd: Handler?, _ context: Context) {
    unsafe self.onValue = unsafe onValue
    unsafe self.onError = unsafe onError
    unsafe self.onEnd = unsafe onEnd
    self.context = context
  }

  /// Takes ownership of the event. Without a function for it, the event is published unchanged.
  func receive(_ event: StreamEvent, _ target: CellPublisher) {
    guard let handler = unsafe event.outcome.isRejected ? onError : onValue else {
      _ = target.publish(event)
      return
    }
    let (step, out) = unsafe call(handler, event.value)
    if step == .pass {
      out.release()
      _ = target.publish(event)
    } else {
      event.value.release()
      target.take(step, out)
    }
  }

  func end(_ ending: StreamEnding, _ target: CellPublisher) {
    guard let handler = unsafe onEnd else {
      _ = target.end(ending.copy())
      return
    }
    let value =
      switch ending {
      case .finished: CellValue.void
      case .failed(let reason): reason
      case .cancelled: CellValue(kind: .discarded)
      case .fault(let fault): fault.value
      }
    let (step, out) = unsafe call(handler, value)
    if case .fault = ending { value.release() }
    if step == .pass {
      out.release()
      _ = target.end(ending.copy())
    } else {
      target.take(step, out)
    }
  }

  /// Calls a user's function, and validates its verdict.
  private func call(_ handler: Handler, _ value: CellValue) -> (StreamVerdict, CellValue) {
    var value = value
    var out = CellValue.void
    let verdict = Delivery.callOut { unsafe handler(context.pointer, &value, &out) }
    return StreamVerdict.checked(verdict, out)
  }
}

/// The decision of a transform, in the numbers of `promise_verdict_t`.
enum StreamVerdict: Int32 {
  case publish = 16
  case publishError = 17
  case pass = 19
  case skip = 20
  case finish = 21
  case fail = 22
  case cancel = 23

  /// Validates the verdict and the `*out` of a user's function. An invalid one is replaced with an error, to be
  /// published.
  static func checked(_ verdict: Int32, _ out: CellValue) -> (StreamVerdict, CellValue) {
    guard out.isWellFormed else { return (.publishError, Fault.malformedValue.value) }
    if let step = StreamVerdict(rawValue: verdict) { return (step, out) }
    out.release()
    return (.publishError, Fault.unknownStreamVerdict.value)
  }
}

extension CellPublisher {
  /// Applies a verdict. Takes ownership of the value.
  func take(_ step: StreamVerdict, _ value: CellValue) {
    switch step {
    case .publish: _ = publish(StreamEvent(value, .fulfilled))
    case .publishError: _ = publish(StreamEvent(value, .rejected))
    case .fail: _ = end(.failed(value))
    case .pass, .skip: value.release()
    case .finish:
      value.release()
      _ = end(.finished)
    case .cancel:
      value.release()
      _ = end(.cancelled)
    }
  }
}
