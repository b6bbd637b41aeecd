@preconcurrency import CFFI
import CPluginEdge
import CPromise
import Glibc

/// Calls of one function of an adopted library with random arguments, in a process of their own.
///
/// Each address argument points to memory that ends, or begins, at an inaccessible page; memory that the function only
/// reads is write-protected. So a write to memory that the function was not given ends the process with a report.
struct CheckedCall {
  /// A function and its address.
  struct Target {
    let signature: Signature
    let entry: promise_function_t
    let subject: UnsafePointer<CChar>
    /// The parameters that take memory of the caller.
    private let memory: Set<String>

    /// `memory` has the parameters of all functions that take memory of the caller, as "FUNCTION.PARAMETER".
    init(_ signature: Signature, _ entry: @escaping promise_function_t, memory: Set<String> = []) {
      (self.signature, self.entry) = (signature, entry)
      self.memory = Set(signature.parameters.map(\.name).filter { memory.contains("\(signature.name).\($0)") })
      subject = UnsafePointer(strdup(signature.name)) ?? UnsafePointer(strdup(""))
    }

    func takesMemory(_ parameter: Parameter) -> Bool { memory.contains(parameter.name) }
  }

  /// The arguments of a tail: NULLs, which end a list and are of no text's format.
  private static let tailCount = 4
  /// The name of the memory for a GError, as C text that is never freed.
  private static nonisolated(unsafe) let error = UnsafePointer(strdup("error") ?? .allocate(capacity: 1))
  private let target: Target
  private let interface: UnsafeMutablePointer<ffi_cif>
  let parameters: [Parameter]
  let names: [UnsafePointer<CChar>]
  private let count: Int
  var signature: Signature { target.signature }
  /// The addresses of objects that other functions returned, by their types.
  var objects: [String: UInt] = [:]

  /// - Throws: the reason why no call of the function can be generated.
  init(_ target: Target) throws(Unmade) {
    let signature = target.signature
    guard signature.completion == nil, !signature.fails else {
      throw Unmade("it has a completion or a failure rule, which the check does not support")
    }
    self.target = target
    // Fields at an address stay as they are in the object.
    parameters = signature.cParameters
    names = parameters.map { UnsafePointer(strdup($0.name)) ?? UnsafePointer(strdup("")) }
    var types = parameters.map { parameter in
      parameter.isByAddress || parameter.type.unwrapped.isCounted ? FFIType.pointer : FFIType.of(parameter.type)
    }
    if signature.failure == .gerror { types.append(FFIType.pointer) }
    let fixed = types.count
    if signature.tail != nil { types += [FFIType.Reference](repeating: FFIType.pointer, count: Self.tailCount) }
    count = types.count
    let interface = FFIType.interface(
      types, returning: FFIType.of(signature.returned),
      variadicFrom: signature.tail == nil ? signature.variadicIndex : fixed)
    guard let interface else { throw Unmade("libffi cannot call it") }
    self.interface = interface
  }

  /// Makes a call. Returns the objects that the function returned or stored, by their types.
  func call(_ values: inout Dice, _ memory: CheckedMemory) throws(Unmade) -> ReturnedObjects {
    let elementCounts = elementCounts(&values)
    // A word, or a struct by value, for each argument; libffi reads them through addresses.
    var words: [UnsafeMutableRawPointer] = []
    defer { for word in words { word.deallocate() } }
    var stored: [(name: String, address: UnsafeMutableRawPointer)] = []
    var made: [String: UInt] = [:]
    for (index, parameter) in parameters.enumerated() {
      let size = max(TypeLayout(of: parameter.type)?.size ?? 8, 8)
      let word = UnsafeMutableRawPointer.allocate(byteCount: size, alignment: 16)
      word.initializeMemory(as: UInt8.self, repeating: 0, count: size)
      words.append(word)
      let argument = try argument(parameter, index, elementCounts, &values, memory)
      switch argument {
      case .bytes(let bytes): bytes.withUnsafeBytes { word.write($0) }
      case .address(let address) where parameter.isMoved:
        let place = try written(withUnsafeBytes(of: UInt(bitPattern: address)) { Array($0) }, index, memory)
        word.storeBytes(of: place, as: UnsafeMutableRawPointer?.self)
      case .address(let address): word.storeBytes(of: address, as: UnsafeMutableRawPointer?.self)
      }
      if parameter.direction == .output, case .address(let address?) = argument, let name = parameter.type.objectName {
        if parameter.allocatedSize != nil {
          made[name] = UInt(bitPattern: address)
        } else {
          stored.append((name, address))
        }
      }
    }
    if target.signature.failure == .gerror {
      let word = UnsafeMutableRawPointer.allocate(byteCount: 8, alignment: 16)
      word.storeBytes(of: memory.map(8, for: Self.error), as: UnsafeMutableRawPointer?.self)
      words.append(word)
    }
    for _ in words.count..<count {
      let word = UnsafeMutableRawPointer.allocate(byteCount: 8, alignment: 16)
      word.storeBytes(of: 0, as: UInt.self)
      words.append(word)
    }
    let size = max(target.signature.returned.flatMap { TypeLayout(of: $0)?.size } ?? 0, 16)
    let returned = UnsafeMutableRawPointer.allocate(byteCount: size, alignment: 16)
    defer { returned.deallocate() }
    returned.initializeMemory(as: UInt8.self, repeating: 0, count: size)
    var addresses = words.map { Optional($0) }
    plugin_check_enter()
    if CallEdge.call(target.subject, interface, target.entry, returned, &addresses) != nil {
      throw Unmade("it threw an exception, or ended its thread")
    }
    plugin_check_leave(returned, target.signature.returned.flatMap { TypeLayout(of: $0)?.size } ?? 0)
    guard !isFailure(returned) else { return ReturnedObjects() }
    var objects = ReturnedObjects(objects: made)
    for (name, address) in stored { objects.add(address.load(as: UnsafeRawPointer?.self), name) }
    if let name = target.signature.returned?.objectName { objects.add(returned.load(as: UnsafeRawPointer?.self), name) }
    return objects
  }

  /// Whether a result means a failure by the signature's rule. Objects that the call has stored are of no use then.
  private func isFailure(_ returned: UnsafeRawPointer) -> Bool {
    guard let rule = signature.failure, rule != .gerror, let type = signature.returned else { return false }
    return rule.isFailure(returned, type, signature.failureDetails.successes)
  }

  /// The objects that a call returned, by their types.
  struct ReturnedObjects {
    var objects: [String: UInt] = [:]

    /// Adds an object. NULL is none, and neither is a place in an argument, such as the end of a number in a text.
    mutating func add(_ address: UnsafeRawPointer?, _ name: String) {
      guard let address, !plugin_check_is_argument(address) else { return }
      objects[name] = UInt(bitPattern: address)
    }
  }

  private enum Argument {
    case bytes([UInt8])
    case address(UnsafeMutableRawPointer?)
  }

  private func argument(
    _ parameter: Parameter, _ index: Int, _ elementCounts: [String: Int], _ values: inout Dice,
    _ memory: CheckedMemory
  ) throws(Unmade) -> Argument {
    let type = parameter.type
    if parameter.isConstant {
      if case .string(let text)? = parameter.defaultValue {
        return .address(try read(Array(text.utf8) + [0], index, memory))
      }
      if case .void? = parameter.defaultValue { return .address(nil) }
      guard let bits = parameter.constantBits else {
        throw Unmade("'\(parameter.name)' is a constant that the check does not support")
      }
      return .bytes(withUnsafeBytes(of: bits) { Array($0.prefix(TypeLayout(of: type)?.size ?? 8)) })
    }
    if let count = elementCounts[parameter.name] {
      guard let size = TypeLayout(of: type)?.size else {
        throw Unmade("'\(parameter.name)' is a \(type), which cannot be a count")
      }
      let bytes = withUnsafeBytes(of: Int64(count)) { Array($0.prefix(size)) }
      guard parameter.direction != .input else { return .bytes(bytes) }
      return .address(try written(bytes, index, memory))
    }
    if type.isUncounted { return .address(try uncounted(parameter, index, &values, memory)) }
    if let count = type.statedCount ?? type.countName.map({ elementCounts[$0] ?? 0 }) {
      let element = type.element
      let elementSize = TypeLayout(of: element)?.size ?? 1
      let size = elementSize * count
      if parameter.direction != .input {
        // As in the host's calls, memory for 0 elements has the size of one: many functions end an empty text there.
        return .address(try written([UInt8](repeating: 0, count: max(size, elementSize)), index, memory))
      }
      // As in the host's calls, an empty argument is the address of zeros.
      if size == 0 {
        return .address(try read([UInt8](repeating: 0, count: elementSize), index, memory))
      }
      // The host gives text in UTF-8 only.
      let isText = type.content == .str || type.content == .bytes && values.roll(4) == 0
      if isText { return .address(try read(values.text(size), index, memory)) }
      let elements =
        element.scalar.map { $0.form != .bool } ?? false
        ? (0..<size).map { _ in UInt8(truncatingIfNeeded: values.next()) }
        : try elements(of: element, count: count, index, &values, memory)
      return .address(try read(elements, index, memory))
    }
    if parameter.isFieldsAlone {
      return .address(try written([UInt8](repeating: 0, count: TypeLayout(of: type)?.size ?? 0), index, memory))
    }
    if let size = parameter.allocatedSize {
      // The library may keep the address of an object that nobody owns, so the memory stays accessible.
      guard case .own = type else { return .address(calloc(1, size)) }
      return .address(try written([UInt8](repeating: 0, count: size), index, memory))
    }
    if let set = parameter.constants, values.roll(8) > (set.areOfLibrary ? 5 : 0) {
      let bits = set.constants[values.roll(set.constants.count)].value.bits ?? 0
      return .bytes(withUnsafeBytes(of: bits) { Array($0.prefix(TypeLayout(of: type)?.size ?? 8)) })
    }
    if parameter.direction != .input {
      guard let size = TypeLayout(of: type.valueType)?.size else { throw Self.unsupported(parameter) }
      let bytes = parameter.direction == .inOut ? values.bytes(of: type) : [UInt8](repeating: 0, count: size)
      guard let bytes else { throw Self.unsupported(parameter) }
      return .address(try written(bytes, index, memory))
    }
    return try input(parameter, index, &values, memory)
  }

  private func input(
    _ parameter: Parameter, _ index: Int, _ values: inout Dice, _ memory: CheckedMemory
  ) throws(Unmade) -> Argument {
    let type = parameter.type
    // Memory that the function frees has to be an object of its maker.
    if target.takesMemory(parameter), !type.isOwn { return .address(CheckedMemory.ofCaller()) }
    if let name = type.objectName, let object = objects[name] {
      return .bytes(withUnsafeBytes(of: object) { Array($0) })
    }
    // A default is a value that the function accepts: a version that it compares.
    if case .string(let text)? = parameter.defaultValue, values.roll(2) == 0 {
      return .address(try read(Array(text.utf8) + [0], index, memory))
    }
    switch type {
    case .optional(.cstr) where values.roll(2) == 0: return .address(nil)
    case .cstr, .optional(.cstr): return .address(try read(values.text(), index, memory))
    case .pointer("void") where memory.hasUnknownData && values.roll(2) == 0:
      if values.roll(2) == 0 { throw Unmade("it needs an object", needs: "void") }
      return .address(CheckedMemory.ofCaller())
    case .pointer("function"): return .address(Self.callback)
    case .optional(.pointer), .pointer("void"): return .address(nil)
    case .pointer(let name) where Self.isData(name): return .address(CheckedMemory.ofCaller())
    case .optional(.callback) where values.roll(2) == 0: return .address(nil)
    case .callback(let callback), .optional(.callback(let callback)):
      guard callback.result.flatMap({ TypeLayout(of: $0)?.size }) ?? 0 <= 16 else {
        throw Unmade("the callback '\(parameter.name)' returns more than 16 bytes, which the check does not support")
      }
      return .address(Self.callback)
    // The library may only pass a context on, so its memory is empty.
    case .context: return .address(try written([], index, memory))
    case .terminated(let element): return .address(try read(ended(element, index, &values, memory), index, memory))
    case .optional(.terminated(let element)):
      guard values.roll(2) == 0 else { return .address(nil) }
      return .address(try read(ended(element, index, &values, memory), index, memory))
    case .reference(let target), .optional(let target):
      if type.isOptional, values.roll(2) == 0 { return .address(nil) }
      guard let bytes = values.bytes(of: target) else { throw Self.unsupported(parameter) }
      return .address(try read(bytes, index, memory))
    case .array:
      guard let bytes = values.bytes(of: type) else { throw Self.unsupported(parameter) }
      return .address(try read(bytes, index, memory))
    case .pointer(let name), .own(.pointer(let name), _): throw Unmade("it needs a \(name)", needs: name)
    default:
      guard let bytes = values.bytes(of: type) else { throw Self.unsupported(parameter) }
      return .bytes(bytes)
    }
  }

  /// Whether an address with that name in its type is one of numbers, text or addresses, which callers allocate.
  private static func isData(_ name: String) -> Bool {
    ["char", "any", "size_t", "ssize_t", "wchar_t"].contains(name) || ScalarType(rawValue: name) != nil
      || name.hasSuffix("_t") && (name.hasPrefix("int") || name.hasPrefix("uint"))
  }

  /// A C function that returns 0.
  private static var callback: UnsafeMutableRawPointer {
    let function: @convention(c) () -> plugin_check_words_t = plugin_check_callback
    return unsafeBitCast(function, to: UnsafeMutableRawPointer.self)
  }

  private static func unsupported(_ parameter: Parameter) -> Unmade {
    Unmade("'\(parameter.name)' is a \(parameter.type), which the check does not support")
  }

  func written(
    _ bytes: [UInt8], _ index: Int, _ memory: CheckedMemory
  ) throws(Unmade) -> UnsafeMutableRawPointer {
    guard let data = memory.map(bytes.count, for: names[index]) else { throw Unmade.outOfMemory }
    bytes.withUnsafeBytes { data.write($0) }
    return data
  }

  func read(
    _ bytes: [UInt8], _ index: Int, _ memory: CheckedMemory
  ) throws(Unmade) -> UnsafeMutableRawPointer {
    let isKept = parameters[index].isKept
    let data = isKept ? memory.kept(bytes, for: names[index]) : memory.constant(bytes, for: names[index])
    guard let data else { throw Unmade.outOfMemory }
    return data
  }
}

/// The reason why no arguments for a call can be generated.
struct Unmade: Error {
  let reason: String
  /// The type of the object that is missing.
  let needs: String?

  init(_ reason: String, needs: String? = nil) { (self.reason, self.needs) = (reason, needs) }

  static let outOfMemory = Unmade("memory for an argument has run out")
}

extension Parameter {
  /// The bits of a constant that is an integer; `nil` for any other parameter.
  var constantBits: UInt64? { isConstant ? defaultValue?.bits : nil }
}

extension PluginValue {
  /// The bits of an integer; `nil` for any other value.
  fileprivate var bits: UInt64? {
    switch self {
    case .int(let number): UInt64(bitPattern: number)
    case .uint(let number): number
    default: nil
    }
  }
}
