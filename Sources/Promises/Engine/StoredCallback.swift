/// A callback of any type as a cell stores it, and the function that calls it.
///
/// A Closure around the callback would cost an allocation per reaction. Where the compiler knows the callback's type,
/// the calling function captures nothing and is a bare code pointer. So both fit the cell: the callback in the places
/// of `function` and `context`, the code pointer in that of `free`.
@usableFromInline
package struct StoredCallback {
  /// Moves the callback out of its cell, calls it unless it handles the other outcome, and releases it.
  @usableFromInline package typealias Caller =
    (_ callback: UnsafeMutableRawPointer, _ isRejected: Bool, _ value: CellValue, _ out: inout CellValue) -> Verdict

  /// The layout of a Swift function value: its code pointer, and the captured context.
  @usableFromInline typealias Words = (code: UInt, captured: UInt)

  @usableFromInline var function: Words = (0, 0)
  @usableFromInline let caller: UInt

  /// Takes ownership of the callback; `caller` must capture nothing.
  @inlinable @inline(__always)
  package init<Function>(_ function: __owned Function, caller: @escaping Caller) {
    self.caller = unsafe StoredCallback.words(caller).code
    unsafe withUnsafeMutablePointer(to: &self.function) { words in
      _ = unsafe UnsafeMutableRawPointer(words).initializeMemory(as: Function.self, to: function)
    }
  }

  /// Whether `caller` captures nothing: known at compile time once the code is specialized.
  @inlinable @inline(__always)
  package static func isBare(_ caller: @escaping Caller) -> Bool { unsafe words(caller).captured == 0 }

  @inlinable @inline(__always)
  static func words(_ caller: @escaping Caller) -> Words {
    unsafe unsafeBitCast(StoredCaller(body: caller), to: Words.self)
  }

  /// Inside a struct the function keeps its own calling convention; see `StoredClosure`.
  @unsafe @usableFromInline struct StoredCaller {
    @usableFromInline let body: Caller
    @inlinable init(body: @escaping Caller) { unsafe self.body = body }
  }
}

extension CellRef {
  /// Returns a promise that the callback settles once this one is settled, with a reference for the caller; nil when
  /// memory has run out.
  @usableFromInline
  package func react(_ callback: StoredCallback) -> CellRef? {
    guard let derived = unsafe CellRef.derived(from: self, .callback, nil, Context(nil, nil)) else { return nil }
    unsafe derived.callback.initialize(to: callback)
    deliver(to: derived)
    noteReader()
    return derived
  }

  /// The callback stored in `function`, `context` and `free`.
  @inline(__always)
  var callback: UnsafeMutablePointer<StoredCallback> {
    unsafe (UnsafeMutableRawPointer(cell) + Cell.closureOffset).assumingMemoryBound(to: StoredCallback.self)
  }

  /// Calls the callback and releases it.
  @inline(__always)
  func callBack(_ value: CellValue, _ outcome: Outcome, _ out: inout CellValue) -> Verdict {
    let caller = unsafe unsafeBitCast((callback.pointee.caller, UInt(0)), to: StoredCallback.StoredCaller.self)
    return unsafe caller.body(UnsafeMutableRawPointer(callback), outcome.isRejected, value, &out)
  }
}
