/// How much of everything a signature may have. Beyond it stands a mistake, or an attack: each limit is more than C's
/// own functions need, and small enough that a call fits on any thread's stack.
enum SignatureLimits {
  /// Of the text, in characters.
  static let length = 16_384
  /// As many as C lets a function have everywhere.
  static let parameters = 127
  /// Structs, arrays, slices, promises and callbacks within one another.
  static let nesting = 16
  /// Of one struct.
  static let fields = 127
  /// Of a type, in bytes.
  static let size = 1 << 20
  /// Of all that is passed or returned by value, in bytes: libffi copies it to the stack.
  static let sizeByValue = 1 << 16
  /// Arguments in a variadic tail.
  static let tail = 64
}
