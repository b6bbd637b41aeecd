@preconcurrency import CFFI
import CPromise
import Glibc

/// The plan of the call that returns a failure's message, such as `sqlite3_errmsg(db)`, or that says whether there is a
/// failure. It lives as long as the process.
final class MessagePlan: Sendable {
  private enum Source: Sendable {
    /// The index of a slot of the call that failed.
    case slot(Int)
    case result(ValueType, isNegated: Bool)
    case call(MessagePlan)
  }

  private let sources: [Source]
  private let entry: promise_function_t
  /// The subject of a fault, as C text that is never freed.
  private nonisolated(unsafe) let subject: UnsafePointer<CChar>
  private nonisolated(unsafe) let interface: UnsafeMutablePointer<ffi_cif>

  /// Makes the plan; `nil` if the library has no such function, or libffi cannot call it.
  init?(_ call: FailureDetails.Message, for signature: Signature, _ library: PluginLibrary?) {
    guard let library, let function = library.symbol(call.function) else { return nil }
    var sources: [Source] = []
    var types: [FFIType.Reference] = []
    for argument in call.arguments {
      guard let (source, type) = Self.source(argument, signature, library) else { return nil }
      sources.append(source)
      types.append(type)
    }
    self.sources = sources
    entry = unsafeBitCast(function, to: promise_function_t.self)
    subject = UnsafePointer(strdup("\(library.plugin).\(call.function)")) ?? UnsafePointer(strdup(""))
    guard let interface = FFIType.interface(types, returning: FFIType.pointer) else { return nil }
    self.interface = interface
  }

  private static func source(
    _ argument: FailureDetails.Message.Argument, _ signature: Signature, _ library: PluginLibrary
  ) -> (Source, FFIType.Reference)? {
    switch argument {
    case .parameter(let name):
      guard let index = signature.parameters.firstIndex(where: { $0.name == name }) else { return nil }
      return (.slot(index), FFIType.of(signature.parameters[index].type))
    case .result(let isNegated):
      guard let returned = signature.returned else { return nil }
      return (.result(returned, isNegated: isNegated), FFIType.of(returned))
    case .call(let call):
      return MessagePlan(call, for: signature, library).map { (.call($0), FFIType.pointer) }
    }
  }

  /// Makes the call; `nil` if it returns no text, or does not return.
  func text(_ call: GeneralCall) -> String? {
    guard let word = self.call(call), let text = UnsafePointer<CChar>(bitPattern: word), text.pointee != 0 else {
      return nil
    }
    return String(cString: text)
  }

  /// Makes the call that decides on failure. Returns whether its result is not 0; a call that does not return proves
  /// nothing, and counts as one that says so.
  func saysFailure(_ call: GeneralCall, _ type: ScalarType) -> Bool {
    guard let word = self.call(call) else { return true }
    // The bits beyond the type are not the function's.
    return withUnsafeBytes(of: word) { $0.baseAddress.map { type.bits(at: $0) != 0 } ?? true }
  }

  /// Returns the function's result as a word; `nil` if it does not return.
  private func call(_ call: GeneralCall) -> UInt? {
    var words: [UInt] = []
    for source in sources {
      guard let word = Self.word(source, call) else { return nil }
      words.append(word)
    }
    // libffi may write two words for a result.
    var returned: (UInt, UInt) = (0, 0)
    let fault = words.withUnsafeMutableBufferPointer { words in
      var addresses: [UnsafeMutableRawPointer?] = words.indices.map { index in
        words.baseAddress.map { UnsafeMutableRawPointer($0 + index) }
      }
      return withUnsafeMutablePointer(to: &returned) { returned in
        addresses.withUnsafeMutableBufferPointer { addresses in
          CallEdge.call(subject, interface, entry, UnsafeMutableRawPointer(returned), addresses.baseAddress)
        }
      }
    }
    return fault == nil ? returned.0 : nil
  }

  private static func word(_ source: Source, _ call: GeneralCall) -> UInt? {
    switch source {
    case .slot(let index):
      let slot = call.plan.slots + index
      let memory = call.frame + (slot.pointee.cell ?? slot.pointee.offset)
      return word(slot.pointee.parameter.type, memory)
    case .result(let type, let isNegated):
      let memory = call.frame + call.plan.frame.returned
      let bits = word(type, memory)
      if type.isAddress { return bits }
      return isNegated ? 0 &- bits : bits
    case .call(let plan): return plan.call(call)
    }
  }

  /// Loads an address, or an integer as the low bits of a word, with its sign extended.
  private static func word(_ type: ValueType, _ memory: UnsafeRawPointer) -> UInt {
    type.scalar.map { UInt(truncatingIfNeeded: $0.bits(at: memory)) } ?? memory.load(as: UInt.self)
  }
}
