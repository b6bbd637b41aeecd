/// The `out` and `inout` arguments of a callback: addresses that C passes, through which the body's values are stored.
extension CallbackConversion {
  /// Clears the memory of `out` arguments, so that C reads zeros if the body fails.
  func clearOutputs(_ addresses: UnsafePointer<UnsafeMutableRawPointer?>?) {
    for (index, argument) in arguments.enumerated() where argument.parameter.direction == .output {
      guard let memory = Self.target(index, addresses) else { continue }
      memory.initializeMemory(as: UInt8.self, repeating: 0, count: argument.plan.layout.size)
    }
  }

  /// The value of an output, and the address that it is copied to.
  struct Output {
    let target: UnsafeMutableRawPointer
    let value: UnsafeMutableRawPointer
    let size: Int
  }

  /// Converts the body's object to the value of the result and those of outputs. An `out` argument may be NULL: its
  /// value is dropped.
  func outputs(
    _ value: PluginValue, _ addresses: UnsafePointer<UnsafeMutableRawPointer?>?, _ arena: CallArena
  ) throws(ArgumentMismatch) -> (result: PluginValue, [Output]) {
    let names = (result == nil ? [] : ["result"]) + arguments.filter(\.isOutput).compactMap(\.parameter.name)
    guard case .object(let members) = value else {
      throw ArgumentMismatch(message: "is \(value.name), expected an object with \(names.joined(separator: ", "))")
    }
    if let other = members.first(where: { !names.contains($0.name) }) {
      throw ArgumentMismatch(
        message: "has the member '\(other.name)', expected an object with \(names.joined(separator: ", "))")
    }
    var outputs: [Output] = []
    for (index, argument) in arguments.enumerated() where argument.isOutput {
      let name = argument.parameter.name ?? ""
      guard let member = value[member: name] else {
        throw ArgumentMismatch(message: "has no member '\(name)', expected \(argument.plan.type.expectation)")
      }
      guard let target = Self.target(index, addresses) else { continue }
      let size = argument.plan.layout.size
      let memory = try arena.allocate(size)
      try converting("'\(name)'") { () throws(ArgumentMismatch) in try argument.plan.store(member, at: memory, arena) }
      outputs.append(Output(target: target, value: memory, size: size))
    }
    guard result == nil || value[member: "result"] != nil else {
      throw ArgumentMismatch(message: "has no member 'result', expected \(result?.type.expectation ?? "")")
    }
    return (value[member: "result"] ?? .void, outputs)
  }

  /// Returns the address that C passes as an argument.
  private static func target(
    _ index: Int, _ addresses: UnsafePointer<UnsafeMutableRawPointer?>?
  ) -> UnsafeMutableRawPointer? {
    addresses?[index]?.load(as: UnsafeMutableRawPointer?.self)
  }
}
