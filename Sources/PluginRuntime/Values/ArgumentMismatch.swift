/// The error of a value that does not fit a type.
public struct ArgumentMismatch: Error, Equatable, Sendable {
  /// The path of the mismatched part, appended to the parameter's name: "[3].x"; empty for the whole value.
  public let path: String
  /// The rest of a sentence that begins with the parameter's name: `is "x", expected an integer from 0 to 255`.
  public let message: String

  /// Creates a mismatch of the part at `path`, or of the whole value.
  public init(path: String = "", message: String) {
    self.path = path
    self.message = message
  }

  /// Returns the mismatch with the path extended by the enclosing part.
  package func within(_ part: String) -> ArgumentMismatch { ArgumentMismatch(path: part + path, message: message) }
}

/// Converts one part of a value, and adds the part to the path of an error.
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
