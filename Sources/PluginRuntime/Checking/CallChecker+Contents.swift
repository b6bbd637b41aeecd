import CPluginEdge

extension CallChecker {
  /// The number of processes whose calls are compared: two fill arguments with zeros, two with letters.
  private static let runs: Int32 = 4

  /// Finds the use of the contents of written arguments before a call, by calls in further processes.
  ///
  /// Returns "NAME=USE", separated by commas. USE is "read" if a result, an argument or the end of the process depends
  /// on the contents. Otherwise it is "whole" if a call has written all of the argument, "part" if calls have written
  /// to it, or "unwritten". An argument is left out if no call has returned.
  static func contents(of call: CheckedCall, _ calls: () -> Void) -> String {
    let counts = Set(call.signature.parameters.compactMap(\.type.countName)).union(call.signature.returnedCounts)
    var uses: [String] = []
    for (index, parameter) in call.parameters.enumerated() {
      guard parameter.mayHaveContents, !counts.contains(parameter.name) else { continue }
      for number in 0..<runs {
        guard plugin_check_try(number, call.names[index]) else { continue }
        calls()
        plugin_check_complete()
      }
      let found = plugin_check_contents()
      if found.is_hopeless { break }
      guard found.is_known else { continue }
      let use = found.is_read ? "read" : found.is_whole ? "whole" : found.is_written ? "part" : "unwritten"
      uses.append("\(parameter.name)=\(use)")
    }
    return uses.joined(separator: ",")
  }
}

extension Parameter {
  /// Whether the parameter is memory for plain data, or for one address, that the function writes, by its signature. Of
  /// `inout` parameters only arrays count: a C declaration has the size of an array, but not its direction.
  fileprivate var mayHaveContents: Bool {
    switch direction {
    case .input: false
    case .output:
      allocatedSize == nil && !isMoved
        && ((type.isCountedOnce ? type.element : type).isWithoutAddresses || type.objectName != nil
          || type.content == .cstr)
    case .inOut: type.isArray && type.isWithoutAddresses || type.statedCount != nil
    }
  }
}

extension ValueType {
  /// Whether any bytes are a value of the type, or at least cannot be taken for an address.
  fileprivate var isWithoutAddresses: Bool {
    switch form {
    case .text: true
    case .structure(let type): type.fields.allSatisfy { $0.type.isWithoutAddresses }
    case .array(let element, _): element.isWithoutAddresses
    default: isScalar
    }
  }
}
