/// The limits of signatures, against mistakes and attacks. Each is larger than real C functions need, and small enough
/// that a call fits on the stack of any thread.
enum SignatureLimits {
  /// The greatest number of names of a parameter's values.
  static let constants = 512
  /// The greatest number of arguments of a call that returns a failure's message.
  static let messageArguments = 6
  /// The greatest number of characters in the text.
  static let length = 16_384
  /// The greatest number of parameters: the one that every C compiler supports.
  static let parameters = 127
  /// The greatest nesting depth of structs, arrays, slices, promises and callbacks.
  static let nesting = 16
  /// The greatest number of fields of a struct.
  static let fields = 127
  /// The greatest size of a type, in bytes.
  static let size = 1 << 20
  /// The greatest total size of the arguments, or of the result, passed by value, in bytes: libffi copies them to the
  /// stack.
  static let sizeByValue = 1 << 16
  /// The greatest number of arguments in a variadic tail.
  static let tail = 64
}
