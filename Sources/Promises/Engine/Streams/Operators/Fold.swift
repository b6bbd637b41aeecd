/// A fold: a user's function computes the next accumulated value from the previous one and an event's value.
///
///     values        1     2     3
///     accumulated   0 --> 1 --> 3 --> 6      a running fold publishes each but the first; the other one the last
@safe
package struct Fold {
  /// `promise_fold_t`: takes the context, the accumulated value, the event's value, and the address for the next one.
  package typealias Function =
    @convention(c) (UnsafeMutableRawPointer?, UnsafeRawPointer, UnsafeRawPointer, UnsafeMutableRawPointer) -> Int32

  private let function: Function
  private let context: Context
  private let isRunning: Bool
  private var accumulated: CellValue

  /// Takes ownership of the initial value and the context.
  package init(_ function: Function, _ initial: CellValue, _ context: Context, isRunning: Bool) {
    unsafe self.function = unsafe function
    self.context = context
    self.isRunning = isRunning
    accumulated = initial
  }

  func release() {
    accumulated.release()
    Delivery.callOut { context.release() }
  }

  /// Folds an event's value, which is borrowed, and returns the verdict with its value.
  mutating func fold(_ value: CellValue) -> (StreamVerdict, CellValue) {
    var (before, value, out) = (accumulated, value, CellValue.void)
    let verdict = Delivery.callOut { unsafe function(context.pointer, &before, &value, &out) }
    let (step, result) = StreamVerdict.checked(verdict, out)
    switch step {
    case .publish where !isRunning:
      accumulated.release()
      accumulated = result
      return (.skip, .void)
    case .publish:
      guard result.retain() else {
        result.release()
        return (.publishError, Fault.tooManyReferences.value)
      }
      accumulated.release()
      accumulated = result
      return (.publish, result)
    case .pass:
      // PASS is invalid here: the accumulated value is not an event that could be passed.
      result.release()
      return (.publishError, Fault.unknownStreamVerdict.value)
    default: return (step, result)
    }
  }

  /// Publishes the accumulated value at the end of the fold, unless it is a running one.
  func finish(_ target: CellPublisher) {
    guard !isRunning else { return }
    let (step, value) =
      accumulated.retain()
      ? (StreamVerdict.publish, accumulated) : (.publishError, Fault.tooManyReferences.value)
    target.take(step, value)
  }
}
