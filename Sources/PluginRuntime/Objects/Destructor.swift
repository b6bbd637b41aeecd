@preconcurrency import CFFI
import CPromise
import Glibc

/// The function in `own(f)`, which destroys an object, or frees memory that a function returned. Its result is ignored.
/// It lives as long as the process.
final class Destructor: Sendable {
  /// The plugin of the function.
  let plugin: String
  /// The thread that has to call the function; `nil` for any thread.
  let thread: SerialThread?
  /// The function's name.
  let name: String
  private let entry: promise_function_t
  /// The function's address.
  let address: UInt
  /// Whether the objects are in memory that the host has allocated, and frees after their end.
  let freesMemory: Bool
  /// Whether an object stays alive in the library after the last reference to it: nothing destroys it.
  let leavesObject: Bool
  /// "plugin.function", as C text that is never freed.
  private nonisolated(unsafe) let subject: UnsafePointer<CChar>
  private nonisolated(unsafe) let interface: UnsafeMutablePointer<ffi_cif>

  /// Makes the destructor; `nil` if libffi cannot call such a function. A function without a name does nothing.
  init?(
    _ name: String?, _ function: UnsafeMutableRawPointer, plugin: String, on thread: SerialThread? = nil,
    freesMemory: Bool = false
  ) {
    self.freesMemory = freesMemory
    leavesObject = name == nil && !freesMemory
    self.plugin = plugin
    self.thread = thread
    let name = name ?? "nothing"
    self.name = name
    address = UInt(bitPattern: function)
    entry = unsafeBitCast(function, to: promise_function_t.self)
    subject = UnsafePointer(strdup("\(plugin).\(name)")) ?? UnsafePointer(strdup(""))
    guard let interface = FFIType.interface([FFIType.pointer], returning: FFIType.of(nil)) else { return nil }
    self.interface = interface
  }

  /// Destroys an object, or frees memory. Returns a fault if the function does not return.
  func destroy(_ address: UInt) -> CallFault? {
    var argument = address
    // libffi may write two words for a result.
    var returned: (UInt64, UInt64) = (0, 0)
    return withUnsafeMutablePointer(to: &argument) { argument in
      var addresses: UnsafeMutableRawPointer? = UnsafeMutableRawPointer(argument)
      return withUnsafeMutablePointer(to: &returned) { returned in
        CallEdge.call(subject, interface, entry, UnsafeMutableRawPointer(returned), &addresses)
      }
    }
  }
}

extension UInt {
  /// The address of a C function.
  init(function: @escaping promise_function_t) { self = UInt(bitPattern: unsafeBitCast(function, to: Int.self)) }
}
