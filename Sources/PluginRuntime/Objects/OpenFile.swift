import CPluginEdge
import CPromise
import Glibc
import Synchronization

/// An open file, the value of an `fd`: a descriptor that this process owns, and closes with the last reference.
///
/// As an argument it gives a plugin one file, and no right to open others:
///
///     let log = try OpenFile(taking: open("/var/log/syslog", O_RDONLY | O_CLOEXEC))
///     plugin.call("count_lines", [.value(.file(log))], timeout: nil)
///
/// It is a regular file, a pipe, a socket or a device of characters, except a terminal. Two values are equal if they
/// are the same object.
public final class OpenFile: Sendable, Equatable {
  /// The number of the descriptor. It is valid as long as this object.
  public let descriptor: Int32

  /// The descriptors of all open files, which a plugin cannot give to the host once more.
  private static let owned = Mutex<Set<Int32>>([])

  /// Takes over a descriptor, and lets `exec()` close it. Of a standard stream it takes a duplicate.
  ///
  /// - Throws: `ArgumentMismatch` for a descriptor that cannot be passed, which is closed then, unless it belongs to
  ///   another open file or is a standard stream.
  public init(taking descriptor: Int32) throws(ArgumentMismatch) { self.descriptor = try Self.take(descriptor) }

  /// Duplicates a descriptor, which stays the caller's.
  ///
  /// - Throws: `ArgumentMismatch` for a descriptor that cannot be passed, or if descriptors have run out.
  public init(duplicating descriptor: Int32) throws(ArgumentMismatch) {
    self.descriptor = try Self.take(try Self.duplicate(descriptor))
  }

  /// Takes over a descriptor that another process sent, and closes it on every path if it cannot be passed.
  init(receiving descriptor: Int32) throws(ArgumentMismatch) {
    // A process without standard streams may get their numbers.
    defer { if descriptor <= STDERR_FILENO { plugin_open_file_close(descriptor) } }
    self.descriptor = try Self.take(descriptor)
  }

  private static func take(_ given: Int32) throws(ArgumentMismatch) -> Int32 {
    guard fcntl(given, F_GETFD) >= 0 else { throw refusal(of: given, "is not open") }
    let isStandard = given <= STDERR_FILENO
    if let mistake = plugin_open_file_mistake(given) {
      if !isStandard, !owned.withLock({ $0.contains(given) }) { plugin_open_file_close(given) }
      throw refusal(of: given, String(cString: mistake))
    }
    let descriptor = isStandard ? try duplicate(given) : given
    guard owned.withLock({ $0.insert(descriptor).inserted }) else {
      throw ArgumentMismatch(
        message: "is the descriptor \(given), which the host owns already, expected a duplicate, by dup()")
    }
    plugin_open_file_close_on_exec(descriptor)
    return descriptor
  }

  private static func duplicate(_ descriptor: Int32) throws(ArgumentMismatch) -> Int32 {
    let duplicate = plugin_open_file_duplicate(descriptor)
    guard duplicate >= 0 else {
      throw refusal(of: descriptor, "has no duplicate: \(SystemLimit.text(errno))")
    }
    return duplicate
  }

  deinit {
    // Before it is closed: then another thread may get the number.
    Self.owned.withLock { _ = $0.remove(descriptor) }
    plugin_open_file_close(descriptor)
  }

  /// Whether both are the same object.
  public static func == (left: OpenFile, right: OpenFile) -> Bool { left === right }

  private static func refusal(of descriptor: Int32, _ mistake: String) -> ArgumentMismatch {
    ArgumentMismatch(
      message:
        "is the descriptor \(descriptor), which \(mistake), expected that of an open file, pipe or socket, or of "
        + "a device that is not a terminal")
  }
}

extension OpenFile {
  /// The type of open files as values of C; `nil` if memory has run out.
  private nonisolated(unsafe) static let type = promise_type_register(
    "promise.open-file", nil, { Unmanaged<OpenFile>.fromOpaque($0!).release() })

  /// The file as an OBJECT. The caller owns the reference. `nil` if memory has run out.
  var abi: promise_value_t? {
    var value = promise_value_t()
    // Without a type the object would not take over the payload.
    guard let type = Self.type else { return nil }
    let status = promise_value_object(&value, type, Unmanaged.passRetained(self).toOpaque())
    return status == PROMISE_OK ? value : nil
  }

  /// The file of an OBJECT; `nil` for other values.
  static func file(_ value: UnsafePointer<promise_value_t>) -> OpenFile? {
    guard promise_value_is(value, type), let file = promise_value_data(value, nil) else { return nil }
    return Unmanaged<OpenFile>.fromOpaque(UnsafeRawPointer(file)).takeUnretainedValue()
  }
}
