@preconcurrency import CFFI
import CPluginEdge
import CPromise
import Synchronization

/// A pool of thunks as the runtime makes them, whose bodies are closures; and a way to call a thunk of any signature.
final class ThunkPool: Sendable {
  typealias Body = @Sendable (UnsafePointer<UnsafeMutableRawPointer?>?, UnsafeMutableRawPointer) -> Void

  let interface: ThunkInterface
  // Made for several threads; never freed.
  private nonisolated(unsafe) let pool: OpaquePointer
  let late = Mutex<[plugin_thunk_late_t]>([])
  let freed = Atomic<Int>(0)

  /// The exceptions that bodies have thrown, in C++.
  let faults = Mutex<[String]>([])

  /// Creates a pool. `kind` 0: the best kind there is. `body` is a function that runs in place of all bodies.
  init(_ interface: ThunkInterface, context: Int32 = -1, kind: Int32 = 0, body: UnsafeMutableRawPointer? = nil) {
    self.interface = interface
    let behaviour = UnsafeMutablePointer<plugin_thunk_behaviour_t>.allocate(capacity: 1)
    behaviour.initialize(to: Self.behaviour)
    if let body { behaviour.pointee.run = unsafeBitCast(body, to: type(of: behaviour.pointee.run)) }
    let origin = UnsafeMutablePointer<Unmanaged<ThunkPool>>.allocate(capacity: 1)
    pool = plugin_thunk_pool_new(interface.cif, context, behaviour, origin, plugin_thunk_kind_t(kind))!
    origin.initialize(to: Unmanaged.passRetained(self))
  }

  /// Returns a live callback. `freed` runs when its body is freed.
  func take(
    _ context: UnsafeRawPointer? = nil, once: Bool = false, freed: (@Sendable () -> Void)? = nil,
    _ body: @escaping Body
  ) -> Thunk {
    let box = Unmanaged.passRetained(Box(self, body, freed))
    return Thunk(reference: plugin_thunk_take(pool, box.toOpaque(), context, once), interface: interface)
  }

  private final class Box: Sendable {
    let pool: ThunkPool
    let body: Body
    let freed: (@Sendable () -> Void)?

    init(_ pool: ThunkPool, _ body: @escaping Body, _ freed: (@Sendable () -> Void)?) {
      self.pool = pool
      self.body = body
      self.freed = freed
    }

    deinit {
      pool.freed.add(1, ordering: .relaxed)
      freed?()
    }
  }

  private static var behaviour: plugin_thunk_behaviour_t {
    plugin_thunk_behaviour_t(
      run: { Unmanaged<Box>.fromOpaque($0).takeUnretainedValue().body($1, $2) },
      fail: { body, fault in
        let text = [fault.pointee.type, fault.pointee.message].map { $0.map { String(cString: $0) } ?? "-" }
        let pool = Unmanaged<Box>.fromOpaque(body).takeUnretainedValue().pool
        pool.faults.withLock { $0.append(text.joined(separator: ": ")) }
        plugin_fault_free(fault)
      },
      free: { Unmanaged<Box>.fromOpaque($0).release() },
      late: { origin, why in
        origin!.load(as: Unmanaged<ThunkPool>.self).takeUnretainedValue().late.withLock { $0.append(why) }
      })
  }
}

/// A callback, live or ended.
struct Thunk: Sendable {
  nonisolated(unsafe) let reference: plugin_thunk_reference_t
  let interface: ThunkInterface

  var kind: Int32 { Int32(plugin_thunk_kind(reference.thunk!)) }
  var address: UInt { unsafeBitCast(plugin_thunk_function(reference.thunk!), to: UInt.self) }

  func end(quietly: Bool = false) { plugin_thunk_end(reference, quietly) }

  /// Calls the thunk as C would. An argument's value is in the low bits.
  @discardableResult
  func call(_ arguments: UInt64...) -> UInt64 {
    withUnsafeTemporaryAllocation(of: UInt64.self, capacity: arguments.count + 1) { memory in
      withUnsafeTemporaryAllocation(of: UnsafeMutableRawPointer?.self, capacity: arguments.count + 1) { addresses in
        for (index, argument) in arguments.enumerated() {
          memory[index] = argument
          addresses[index] = UnsafeMutableRawPointer(memory.baseAddress! + index)
        }
        var result: UInt64 = 0
        ffi_call(interface.cif, plugin_thunk_function(reference.thunk!), &result, addresses.baseAddress)
        return result
      }
    }
  }
}

/// A signature as libffi has it, never freed.
struct ThunkInterface: Sendable {
  typealias Element = UnsafeMutablePointer<ffi_type>
  nonisolated(unsafe) let cif = UnsafeMutablePointer<ffi_cif>.allocate(capacity: 1)

  init(_ arguments: [Element], _ result: Element) {
    let types = UnsafeMutablePointer<Element?>.allocate(capacity: arguments.count + 1)
    for (index, type) in arguments.enumerated() { types[index] = type }
    cif.initialize(to: ffi_cif())
    precondition(ffi_prep_cif(cif, FFI_DEFAULT_ABI, UInt32(arguments.count), result, types) == FFI_OK)
  }

  /// Returns the address of a constant of libffi, which C declares as a variable.
  private static func address(_ type: Element) -> Element { type }

  static var void: Element { address(&ffi_type_void) }
  static var int8: Element { address(&ffi_type_sint8) }
  static var uint16: Element { address(&ffi_type_uint16) }
  static var int32: Element { address(&ffi_type_sint32) }
  static var int64: Element { address(&ffi_type_sint64) }
  static var float: Element { address(&ffi_type_float) }
  static var double: Element { address(&ffi_type_double) }
  static var pointer: Element { address(&ffi_type_pointer) }

  static func structure(_ fields: [Element]) -> Element {
    let elements = UnsafeMutablePointer<Element?>.allocate(capacity: fields.count + 1)
    for (index, type) in fields.enumerated() { elements[index] = type }
    elements[fields.count] = nil
    let type = Element.allocate(capacity: 1)
    type.initialize(to: ffi_type(size: 0, alignment: 0, type: UInt16(FFI_TYPE_STRUCT), elements: elements))
    return type
  }
}
