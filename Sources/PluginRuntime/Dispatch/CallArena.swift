import CPromise
import Glibc

/// The memory that one call lends to a function in addition to its arguments: texts, elements, targets of out
/// parameters. It is freed with the call, or when the promise that the function returned is settled.
final class CallArena {
  private var blocks: [UnsafeMutableRawPointer] = []
  private var next: UnsafeMutableRawPointer?
  private var remaining = 0
  /// Memory for the function to free; freed here if the function is not called.
  private var owned: [UnsafeMutableRawPointer] = []

  /// Values that are released with the arena.
  private var kept: [promise_value_t] = []

  /// The callbacks of the call, which watch over it while its promise is pending.
  var callbacks: CallCallbacks?

  /// The function that is called; `nil` for memory that belongs to no call.
  private let function: (name: String, entry: promise_function_t)?
  /// The objects that the call uses, and those that it releases.
  private(set) var used: [PluginObject] = []
  private var taken: [PluginObject] = []
  /// Released objects in memory that the host allocated for them, kept until the releasing function has returned.
  private var released: [PluginObject] = []

  private static let block = 1024

  init(for function: (name: String, entry: promise_function_t)? = nil) { self.function = function }

  deinit {
    takeBack()
    for index in kept.indices { promise_value_release(&kept[index]) }
    for block in blocks { free(block) }
    for object in used { object.life.endUse() }
  }

  /// Allocates zeroed memory, aligned for every type. Returns an address even for size 0.
  func allocate(_ size: Int) throws(ArgumentMismatch) -> UnsafeMutableRawPointer {
    let (rounded, overflow) = max(size, 1).addingReportingOverflow(15)
    if overflow { throw Self.noMemory }
    let size = rounded & ~15
    if size > remaining || next == nil {
      let capacity = max(size, Self.block)
      guard let block = calloc(1, capacity) else { throw Self.noMemory }
      blocks.append(block)
      // A large allocation has a block of its own, and the current block stays in use.
      if size >= Self.block { return block }
      (next, remaining) = (block, capacity)
    }
    guard let memory = next else { throw Self.noMemory }
    next = memory + size
    remaining -= size
    return memory
  }

  /// Copies bytes to the arena, and returns their address.
  func copy(_ bytes: UnsafeRawBufferPointer) throws(ArgumentMismatch) -> UnsafeMutableRawPointer {
    let memory = try allocate(bytes.count)
    memory.write(bytes)
    return memory
  }

  /// Allocates memory from the host's allocator, for the function to free.
  func allocateOwned(_ size: Int) throws(ArgumentMismatch) -> UnsafeMutableRawPointer? {
    guard size > 0 else { return nil }
    guard let memory = HostMemory.allocate(size) else { throw Self.noMemory }
    owned.append(memory)
    return memory
  }

  /// Takes over a reference to a value, and holds it as long as the memory.
  func keep(_ value: promise_value_t) { kept.append(value) }

  /// Keeps an object as long as the memory. A call of the object's own destructor releases it.
  ///
  /// - Throws: `ArgumentMismatch` if the object was released before.
  func use(_ object: PluginObject) throws(ArgumentMismatch) {
    if let function, object.life.destructor.address == UInt(function: function.entry) { return try take(object) }
    try object.life.beginUse()
    used.append(object)
  }

  /// Takes an object for the function, which releases it.
  ///
  /// - Throws: `ArgumentMismatch` if the object was released before, or is in use.
  func take(_ object: PluginObject) throws(ArgumentMismatch) {
    try object.life.take(for: function?.name ?? "a callback")
    taken.append(object)
  }

  /// Passes the ownership of owned memory and taken objects to the function. Call directly before the function.
  func transferOwnership() {
    released += taken.filter(\.life.destructor.freesMemory)
    (owned, taken) = ([], [])
  }

  private func takeBack() {
    for memory in owned { HostMemory.free(memory) }
    for object in taken { object.life.giveBack() }
    (owned, taken) = ([], [])
  }

  static let noMemory = ArgumentMismatch(message: "cannot be stored: memory has run out")
}
