/// Why a value does not fit a type.
public struct ArgumentMismatch: Error, Equatable, Sendable {
  /// Which part of the value it is about, after the parameter's name: "[3].x"; empty for all of it.
  public let path: String
  /// What follows the parameter's name in a sentence: `is "x", expected an integer from 0 to 255`.
  public let message: String

  /// A mismatch of the part at `path`, or of the whole.
  public init(path: String = "", message: String) {
    self.path = path
    self.message = message
  }

  /// The mismatch of the part as one of the whole.
  func within(_ part: String) -> ArgumentMismatch { ArgumentMismatch(path: part + path, message: message) }
}

/// Runs a conversion of one part of a value: what it throws is about that part.
func converting<T>(_ part: @autoclosure () -> String, _ convert: () throws(ArgumentMismatch) -> T)
  throws(ArgumentMismatch)
  -> T
{
  do {
    return try convert()
  } catch {
    throw error.within(part())
  }
}
