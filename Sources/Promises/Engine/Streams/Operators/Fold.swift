/// A running fold: a function of the user's makes the next accumulated value of the one before and of an event's value.
///
///     values        1     2     3
///     accumulated   0 --> 1 --> 3 --> 6      each but the first is published
@safe
package struct Fold {
  /// `promise_fold_t`: the context, the accumulated value, the event's value, where to leave the next one.
  package typealias Function =
    @convention(c) (UnsafeMutableRawPointer?, UnsafeRawPointer, UnsafeRawPointer, UnsafeMutableRawPointer) -> Int32

  private let function: Function
  private let context: Context
  private var accumulated: CellValue

  /// Takes over the initial value and the context.
  package init(_ function: Function, _ initial: CellValue, _ context: Context) {
    unsafe self.function = unsafe function
    self.context = context
    accumulated = initial
  }

  func release() {
    accumulated.release()
    Delivery.callOut { context.release() }
  }

  /// Folds an event's value, which stays the caller's, and returns the verdict with the value that it is about.
  mutating func fold(_ value: CellValue) -> (StreamVerdict, CellValue) {
    var (before, value, out) = (accumulated, value, CellValue.void)
    let verdict = Delivery.callOut { unsafe function(context.pointer, &before, &value, &out) }
    let (step, result) = StreamVerdict.checked(verdict, out)
    switch step {
    case .publish:
      guard result.retain() else {
        result.release()
        return (.publishError, Fault.tooManyReferences.value)
      }
      accumulated.release()
      accumulated = result
      return (.publish, result)
    case .pass:
      // There is no event to pass: the accumulated value is not one.
      result.release()
      return (.publishError, Fault.unknownStreamVerdict.value)
    default: return (step, result)
    }
  }
}
