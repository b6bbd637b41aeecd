extension Signature {
  /// The canonical form: the types of the function in one spelling. Two functions have equal canonical forms exactly if
  /// they are called in the same way.
  ///
  /// Names of parameters, defaults and descriptions are left out; names of fields are kept. A reference to another
  /// parameter is written as "#" and its position, from 0. The function that returns a failure's message is left out
  /// too.
  ///
  ///     crc32(seed: u32 = 0, data: bytes[len], len: usize) -> u32
  ///     (u32, bytes[#2], usize) -> u32
  public var canonical: String {
    var list = texts {
      "\($0.prefix)\(canonical($0.type))\($0.isConstant ? $0.assignment : "")"
        + ($0.counted.map { " counts \(position($0))" } ?? "")
    } owner: {
      $0.text(fields: $1)
    }
    if let variadicIndex { list.insert("...", at: variadicIndex) }
    if let tail { list.append("...\(tail.types.map(\.description).joined(separator: "|"))") }
    var text = "(\(list.joined(separator: ", ")))"
    if let result { text += " -> \(result)" }
    if let completion {
      text += " by \(completion.callbacks.map(position).joined(separator: " or "))"
      text += completion.returns.map { " returns \($0)" } ?? ""
    }
    text += countedByResult.map { " counts \(position($0))" } ?? ""
    return text + (failure.map { " \($0.mark(failureDetails, position))" } ?? "")
  }

  /// The 64-bit FNV-1a hash of the canonical form's UTF-8: offset basis 0xcbf29ce484222325, prime 0x100000001b3.
  public var hash: UInt64 {
    canonical.utf8.reduce(0xcbf2_9ce4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 }
  }

  private func canonical(_ type: ValueType) -> String {
    switch type {
    case .callback(let callback): callback.canonical
    case .optional(let type): "\(canonical(type))?"
    case .context(nil): ValueType.context(of: soleCallback).text(position)
    default: type.text(position)
    }
  }

  /// The callback of a `context` without a name; `nil` if there are several callbacks, which then share it.
  var soleCallback: String? {
    let callbacks = parameters.filter { $0.type.callbackWithContext != nil }
    return callbacks.count == 1 ? callbacks[0].name : nil
  }

  private func position(_ name: String) -> String {
    name == Self.countOfResult ? name : "#\(parameters.firstIndex { $0.name == name } ?? 0)"
  }
}
