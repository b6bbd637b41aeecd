/// A future of the values of all, in their order; it ends at once as the first that is rejected or cancelled.
///
/// It is settled on return if that is known. A request for it to cancel withdraws its interest in every input; it ends
/// by what becomes of them.
///
/// - Parameters:
///   - futures: the inputs. One may be there more than once; of none, the result is an empty array.
///   - cancelOnFailure: whether all others are asked to cancel when one is rejected or cancelled, whoever else uses them.
///     They are asked before the result's callbacks run.
public func when<Value, Failure>(
  fulfilled futures: [Future<Value, Failure>], cancelOnFailure: Bool = false
) -> Future<[Value], Failure> {
  let all = Combining.all(cancelsOthers: cancelOnFailure) { try $0.rest(Value.self) }
  return Future<[Value], Failure>(cell: all.promise(of: futures.map(\.cell)))
}

/// The same for futures of different values: a tuple.
public func when<each Value, Failure>(
  fulfilled futures: repeat Future<each Value, Failure>, cancelOnFailure: Bool = false
) -> Future<(repeat each Value), Failure> {
  var cells: [CellRef] = []
  repeat cells.append((each futures).cell)
  let all = Combining.all(cancelsOthers: cancelOnFailure) { values in
    (repeat try values.next((each Value).self))
  }
  let tuple = Future<(repeat each Value), Failure>(cell: all.promise(of: cells))
  // The inputs' owners may be gone by now; the gather has what it needs.
  repeat withExtendedLifetime(each futures) {}
  return tuple
}

/// A future that ends as the first that is fulfilled or rejected; the cancelled ones do not count. If all are cancelled,
/// or there is none, it is cancelled.
///
/// It is settled on return if that is known; of several that are settled, the one that stands first counts.
///
/// - Parameters:
///   - futures: the inputs.
///   - cancelRemaining: whether all others are asked to cancel when one has won, whoever else uses them.
public func when<Value, Failure>(
  first futures: [Future<Value, Failure>], cancelRemaining: Bool = false
) -> Future<Value, Failure> {
  Future<Value, Failure>(cell: Combining.one(.first, cancelsOthers: cancelRemaining).promise(of: futures.map(\.cell)))
}

extension Future {
  /// A future of the first value that one of them has. If none has, it ends as the last of them; of none, it is cancelled.
  ///
  /// - Parameters:
  ///   - futures: the inputs.
  ///   - cancelRemaining: as in `when(first:cancelRemaining:)`.
  public static func any(_ futures: [Future], cancelRemaining: Bool = false) -> Future {
    Future(cell: Combining.one(.any, cancelsOthers: cancelRemaining).promise(of: futures.map(\.cell)))
  }

  /// A future that ends as the first of them that ends, whichever way; of none, it is cancelled.
  public static func race(_ futures: [Future], cancelRemaining: Bool = false) -> Future {
    Future(cell: Combining.one(.race, cancelsOthers: cancelRemaining).promise(of: futures.map(\.cell)))
  }

  /// A future of how all of them ended, in their order.
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

  /// A future of this value and the others': `when(fulfilled:)` as a method.
  public func combine<each Other>(
    with others: repeat Future<each Other, Failure>
  ) -> Future<(Value, repeat each Other), Failure> {
    when(fulfilled: self, repeat each others)
  }
}
