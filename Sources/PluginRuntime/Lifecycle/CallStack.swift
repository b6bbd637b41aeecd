import CPluginEdge
import Glibc

/// The functions of plugins that a thread is executing, the innermost last. With them the host notices that one was
/// left by longjmp(), and that calls are nested too deeply.
///
/// Every call that was entered after a call that returns has been unwound, by longjmp(). Stacks grow downwards on every
/// machine that plugins run on, so the addresses of frames show the order. A call on the stack of a coroutine that is
/// not running now was not unwound.
final class CallStack {
  private struct Entry {
    let call: PluginCall
    /// The address of a variable in the frame of the call.
    let address: UInt
  }

  // Only the thread of the stack uses it, on each call. So no check of exclusive access is needed.
  @exclusivity(unchecked) private var entries: [Entry] = []
  /// The depth of the calls in other processes, or on other threads, that the thread works for, minus the entries below
  /// them.
  @exclusivity(unchecked) private var base = 0

  private static let key: pthread_key_t = {
    var key = pthread_key_t()
    // Without the key no frame is recorded. pthread_key_create() fails only after 1024 keys.
    let status = pthread_key_create(&key) {
      // The thread ends, and with it every frame that it had.
      let stack = Unmanaged<CallStack>.fromOpaque($0!).takeRetainedValue()
      for entry in stack.entries { entry.call.abandon() }
    }
    return status == 0 ? key : .max
  }()

  /// The stack of the calling thread.
  private static var current: CallStack {
    if let stack = pthread_getspecific(key) { return Unmanaged<CallStack>.fromOpaque(stack).takeUnretainedValue() }
    let stack = CallStack()
    if pthread_setspecific(key, Unmanaged.passRetained(stack).toOpaque()) != 0 {
      return Unmanaged.passUnretained(stack).takeRetainedValue()
    }
    return stack
  }

  /// The nesting depth of a new call of this thread, including calls in other processes.
  static var depth: Int {
    guard let stack = pthread_getspecific(key) else { return 0 }
    let current = Unmanaged<CallStack>.fromOpaque(stack).takeUnretainedValue()
    var here: UInt8 = 0
    withUnsafeMutablePointer(to: &here) { current.abandon(below: UInt(bitPattern: $0)) }
    return current.base + current.entries.count
  }

  /// Runs a closure on behalf of a call in another process, or on another thread, at that nesting depth.
  static func at<Value>(_ depth: Int, _ body: () throws -> Value) rethrows -> Value {
    let stack = current
    let outer = stack.base
    stack.base = depth - stack.entries.count
    defer { stack.base = outer }
    return try body()
  }

  /// Runs a call whose frame has a variable at this address. False if the call was wrongly abandoned meanwhile: on a
  /// stack that another thread continued after its first thread had ended.
  static func run(_ call: PluginCall, at address: UnsafeRawPointer, _ body: () -> Void) -> Bool {
    let stack = current
    let address = UInt(bitPattern: address)
    stack.abandon(below: address)
    stack.entries.append(Entry(call: call, address: address))
    body()
    let after = current
    after.abandon(below: address)
    guard let index = after.entries.lastIndex(where: { $0.address == address && $0.call === call }) else {
      return !call.isAbandoned
    }
    after.entries.remove(at: index)
    return true
  }

  /// Ends the calls whose frames were younger than one at this address. They are removed first, because ending a call
  /// runs user code.
  private func abandon(below address: UInt) {
    guard !entries.isEmpty, entries[entries.count - 1].address < address else { return }
    let end = plugin_edge_stack_end()
    guard end < address else { return }
    let stack = end..<address
    let split = entries.partition { stack.contains($0.address) }
    let abandoned = entries[split...].map(\.call)
    entries.removeSubrange(split...)
    for call in abandoned { call.abandon() }
  }
}
