/// The reason why a call failed: a bad argument, a function that was left without returning, a misused callback, or a
/// bad result. The description is made on demand. Large parts are indirect, so that a CallFault stays small.
enum CallFault {
  case tooMany
  case missing(Int)
  /// The argument's kind does not match its parameter's type.
  case wrongKind(Int)
  case outOfRange(Int)
  /// The cstr contains a NUL.
  case nul(Int)
  /// The promise was destroyed.
  case stale(Int)
  case noMemory
  /// A part of an argument does not match its type. The index is -1 if the fault is not about one argument.
  indirect case mismatch(Int, ArgumentMismatch)
  /// A part of the result does not match the signature.
  indirect case badOutput(ArgumentMismatch)

  case nullResult
  /// The bytes of a str or a cstr are not UTF-8.
  case resultNotUTF8
  case staleResult
  /// The bool is neither 0 nor 1.
  case badBool(UInt8)

  /// The length is larger than the address space.
  case wildLength

  /// The function was left without returning.
  case left(EdgeFault)
  /// A callback of the call was called with wrong arguments, or returned a wrong result.
  indirect case callback(PluginError)
}

/// The outcome of a call; its value or reason is stored where the caller asked for it.
enum CallOutcome {
  case fulfilled
  case rejected
  case fault(CallFault)
}
