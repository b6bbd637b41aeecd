/// The limits of signatures, against mistakes and attacks. Each is larger than real C functions need, and small enough
/// that a call fits on the stack of any thread.
enum SignatureLimits {
  /// Names of a parameter's values.
  static let constants = 512
  /// Arguments of a call that returns a failure's message.
  static let messageArguments = 6
  /// Characters in the text.
  static let length = 16_384
  /// Parameters; the number that every C compiler supports.
  static let parameters = 127
  /// Nesting depth of structs, arrays, slices, promises and callbacks.
  static let nesting = 16
  /// Fields of a struct.
  static let fields = 127
  /// Size of a type, in bytes.
  static let size = 1 << 20
  /// Total size of the arguments, or of the result, passed by value, in bytes: libffi copies them to the stack.
  static let sizeByValue = 1 << 16
  /// Arguments in a variadic tail.
  static let tail = 64
}
