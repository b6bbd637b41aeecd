import CPromise
import Glibc

/// The memory that one call lends a function besides its arguments: texts, elements, what out parameters point to. It
/// goes when nobody may use it any more: with the call, or with the promise that the function returned.
final class CallArena {
  private var blocks: [UnsafeMutableRawPointer] = []
  private var next: UnsafeMutableRawPointer?
  private var room = 0
  /// Memory for the function to free, which goes back if the function is not called after all.
  private var owned: [UnsafeMutableRawPointer] = []

  /// Values that lie here.
  private var kept: [promise_value_t] = []

  /// The callbacks of the call, for who watches over it while its promise is pending.
  var callbacks: CallCallbacks?

  private static let block = 1024

  init() {}

  deinit {
    takeBack()
    for index in kept.indices { promise_value_release(&kept[index]) }
    for block in blocks { free(block) }
  }

  /// Memory of that size, cleared, aligned for anything, at an address even if the size is 0.
  func allocate(_ size: Int) throws(ArgumentMismatch) -> UnsafeMutableRawPointer {
    let (rounded, overflow) = max(size, 1).addingReportingOverflow(15)
    if overflow { throw Self.noMemory }
    let size = rounded & ~15
    if size > room || next == nil {
      let capacity = max(size, Self.block)
      guard let block = calloc(1, capacity) else { throw Self.noMemory }
      blocks.append(block)
      // A large piece has a block of its own; what is left of the last one stays in use.
      if size >= Self.block { return block }
      (next, room) = (block, capacity)
    }
    guard let memory = next else { throw Self.noMemory }
    next = memory + size
    room -= size
    return memory
  }

  /// A copy of some bytes, with `padding` bytes of 0 behind it.
  func copy(_ bytes: UnsafeRawBufferPointer, padding: Int = 0) throws(ArgumentMismatch) -> UnsafeMutableRawPointer {
    let memory = try allocate(bytes.count + padding)
    memory.write(bytes)
    return memory
  }

  /// Memory of the host's allocator, for the function to free.
  func allocateOwned(_ size: Int) throws(ArgumentMismatch) -> UnsafeMutableRawPointer? {
    guard size > 0 else { return nil }
    guard let memory = HostMemory.allocate(size) else { throw Self.noMemory }
    owned.append(memory)
    return memory
  }

  /// Takes over a reference to a value, which the function may look at as long as the memory.
  func keep(_ value: promise_value_t) { kept.append(value) }

  /// The function is called: what is its own belongs to it now.
  func handOver() { owned = [] }

  private func takeBack() {
    for memory in owned { HostMemory.free(memory) }
    owned = []
  }

  static let noMemory = ArgumentMismatch(message: "finds no memory left")
}
