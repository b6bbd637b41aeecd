/// Returns a future of all values, in the order of the inputs. It settles as soon as one input is rejected or
/// cancelled, with that outcome.
///
/// The future is already settled on return if the inputs allow it. A request to cancel it withdraws its interest in
/// every input; it still waits for the inputs to settle.
///
/// - Parameters:
///   - futures: the inputs. One may occur more than once. The result for no inputs is an empty array.
///   - cancelOnFailure: whether all other inputs are asked to cancel when one is rejected or cancelled, even if they
///     have other users. They are asked before the result's callbacks run.
public func when<Value, Failure>(
  fulfilled futures: [Future<Value, Failure>], cancelOnFailure: Bool = false
) -> Future<[Value], Failure> {
  let all = Combining.all(cancelsOthers: cancelOnFailure) { try $0.rest(Value.self) }
  return Future<[Value], Failure>(cell: all.promise(of: futures.map(\.cell)))
}

/// Returns a future of the values of futures of different types, as a tuple. See the form that takes an array.
public func when<each Value, Failure>(
  fulfilled futures: repeat Future<each Value, Failure>, cancelOnFailure: Bool = false
) -> Future<(repeat each Value), Failure> {
  var cells: [CellRef] = []
  repeat cells.append((each futures).cell)
  let all = Combining.all(cancelsOthers: cancelOnFailure) { values in
    (repeat try values.next((each Value).self))
  }
  let tuple = Future<(repeat each Value), Failure>(cell: all.promise(of: cells))
  // The futures' references must last until here; the gather has references of its own.
  repeat withExtendedLifetime(each futures) {}
  return tuple
}

/// Returns a future with the outcome of the first input that is fulfilled or rejected. Cancelled inputs are ignored: if
/// all are cancelled, or there are none, the result is cancelled.
///
/// The future is already settled on return if an input is; of several settled inputs the first in the array wins.
///
/// - Parameters:
///   - futures: the inputs.
///   - cancelRemaining: whether all other inputs are asked to cancel when one has won, even if they have other users.
public func when<Value, Failure>(
  first futures: [Future<Value, Failure>], cancelRemaining: Bool = false
) -> Future<Value, Failure> {
  Future<Value, Failure>(cell: Combining.one(.first, cancelsOthers: cancelRemaining).promise(of: futures.map(\.cell)))
}

extension Future {
  /// Returns a future of the first value. If no input is fulfilled, it has the outcome of the input that settled last;
  /// without inputs it is cancelled.
  ///
  /// - Parameters:
  ///   - futures: the inputs.
  ///   - cancelRemaining: as in `when(first:cancelRemaining:)`.
  public static func any(_ futures: [Future], cancelRemaining: Bool = false) -> Future {
    Future(cell: Combining.one(.any, cancelsOthers: cancelRemaining).promise(of: futures.map(\.cell)))
  }

  /// Returns a future with the outcome of the first input that settles: fulfilled, rejected or cancelled. Without
  /// inputs it is cancelled.
  ///
  /// - Parameters:
  ///   - futures: the inputs.
  ///   - cancelRemaining: as in `when(first:cancelRemaining:)`.
  public static func race(_ futures: [Future], cancelRemaining: Bool = false) -> Future {
    Future(cell: Combining.one(.race, cancelsOthers: cancelRemaining).promise(of: futures.map(\.cell)))
  }

  /// Returns a future of the outcomes of all inputs, in their order.
  public static func allSettled(_ futures: [Future]) -> Future<[FutureResult<Value, Failure>], Never> {
    let all = unsafe Combining(mode: .allSettled) { entries, _, out in
      let results: [FutureResult<Value, Failure>] = unsafe entries.map {
        $0.value.result(isRejected: $0.isRejected)
      }
      out = .encoding(results)
      return .fulfilled
    }
    return Future<[FutureResult<Value, Failure>], Never>(cell: all.promise(of: futures.map(\.cell)))
  }

  /// Returns a future of this value and the others, as a tuple: `when(fulfilled:)` as a method.
  public func combine<each Other>(
    with others: repeat Future<each Other, Failure>
  ) -> Future<(Value, repeat each Other), Failure> {
    when(fulfilled: self, repeat each others)
  }
}
