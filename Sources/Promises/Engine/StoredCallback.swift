/// A callback of any type as it lies in a cell, and what calls it.
///
/// A Closure around the callback would be an allocation for each reaction. Where the compiler knows the callback's
/// type, what calls it captures nothing and is just a function, so both fit the cell: in the places of `function` and
/// `context`, and of `free`.
@usableFromInline
package struct StoredCallback {
  /// Moves the callback out of where it lies, calls it unless it is for another outcome, and lets it go.
  @usableFromInline package typealias Caller =
    (_ callback: UnsafeMutableRawPointer, _ isRejected: Bool, _ value: CellValue, _ out: inout CellValue) -> Verdict

  /// A function as the compiler lays it out: its code, and what it captured.
  @usableFromInline typealias Words = (code: UInt, captured: UInt)

  @usableFromInline var function: Words = (0, 0)
  @usableFromInline let caller: UInt

  /// Takes over the callback; its caller must capture nothing.
  @inlinable @inline(__always)
  package init<Function>(_ function: __owned Function, caller: @escaping Caller) {
    self.caller = unsafe StoredCallback.words(caller).code
    unsafe withUnsafeMutablePointer(to: &self.function) { words in
      _ = unsafe UnsafeMutableRawPointer(words).initializeMemory(as: Function.self, to: function)
    }
  }

  /// Whether it captures nothing. Decided where the code is compiled for known types, at the latest.
  @inlinable @inline(__always)
  package static func isBare(_ caller: @escaping Caller) -> Bool { unsafe words(caller).captured == 0 }

  @inlinable @inline(__always)
  static func words(_ caller: @escaping Caller) -> Words {
    unsafe unsafeBitCast(StoredCaller(body: caller), to: Words.self)
  }

  /// In a struct the function keeps its own convention; see `StoredClosure`.
  @unsafe @usableFromInline struct StoredCaller {
    @usableFromInline let body: Caller
    @inlinable init(body: @escaping Caller) { unsafe self.body = body }
  }
}

extension CellRef {
  /// A promise that the callback settles once this one is, as a reference of the caller's; nil when memory has run out.
  @usableFromInline
  package func react(_ callback: StoredCallback) -> CellRef? {
    guard let derived = unsafe CellRef.derived(from: self, .callback, nil, Context(nil, nil)) else { return nil }
    unsafe derived.callback.initialize(to: callback)
    deliver(to: derived)
    return derived
  }

  /// The callback in the place of `function`, `context` and `free`.
  @inline(__always)
  var callback: UnsafeMutablePointer<StoredCallback> {
    unsafe (UnsafeMutableRawPointer(cell) + Cell.closureOffset).assumingMemoryBound(to: StoredCallback.self)
  }

  /// Calls the callback, and lets it go.
  @inline(__always)
  func callBack(_ value: CellValue, _ outcome: Outcome, _ out: inout CellValue) -> Verdict {
    let caller = unsafe unsafeBitCast((callback.pointee.caller, UInt(0)), to: StoredCallback.StoredCaller.self)
    return unsafe caller.body(UnsafeMutableRawPointer(callback), outcome.isRejected, value, &out)
  }
}
