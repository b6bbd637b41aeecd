/// A signature made from a C function's prototype, or the reason why there is none.
enum SignatureDraft {
  /// The text, the points that an expert on the library has to check, and those that calls have to show.
  case signature(String, checks: [String], guesses: [Guess])
  /// The reason why there is no signature.
  case leftOut(String)

  init(_ function: Header.Function, in header: Header, _ ownership: Ownership, _ callerAllocated: CallerAllocated) {
    if function.isInline {
      self = .leftOut("inline: the library has no such symbol")
    } else if !function.returns {
      self = .leftOut("does not return")
    } else if Self.returningTwice.contains(function.name) {
      self = .leftOut("returns more than once, or not to its caller")
    } else if case .function(let result, let types, let isVariadic)? = function.type {
      do throws(Unsuitable) {
        var writer = SignatureWriter(function, types, header, ownership, callerAllocated)
        let text = try writer.signature(result: result, isVariadic: isVariadic)
        self = .signature(text, checks: writer.checks, guesses: writer.guesses)
      } catch {
        self = .leftOut(error.reason)
      }
    } else {
      self = .leftOut("its type is not understood")
    }
  }

  private static let returningTwice: Set<String> = [
    "setjmp", "_setjmp", "sigsetjmp", "__sigsetjmp", "longjmp", "_longjmp", "siglongjmp", "vfork", "getcontext",
    "setcontext", "makecontext", "swapcontext",
  ]
}

/// A parameter that is `out` if calls show that the function writes it before it returns.
struct Guess {
  let parameter: String
  /// The reason why it is not `out` otherwise.
  let reason: String
  /// The type for memory of the caller; nil if a draft has no such memory.
  let memory: String?
}

/// The reason why a function is left out.
struct Unsuitable: Error {
  let reason: String
  init(_ reason: String) { self.reason = reason }
}
