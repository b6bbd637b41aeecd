extension PluginError {
  /// The error as a value for a frame: [kind, details, subject, message].
  var value: PluginValue {
    let (name, details) = kind.parts
    return .array([.string(name), details, .string(subject), .string(message)])
  }

  /// Reads an error that `value` wrote; `nil` if it is malformed.
  init?(_ value: PluginValue) {
    guard case .array(let parts) = value, parts.count == 4, case .string(let name) = parts[0],
      let kind = Kind(name, parts[1]), case .string(let subject) = parts[2], case .string(let message) = parts[3]
    else { return nil }
    self.init(kind, subject, message)
  }
}

extension PluginError.Kind {
  /// The kinds without details, by their names in frames.
  private static let simple: [(name: String, kind: PluginError.Kind)] = [
    ("notFound", .notFound), ("notReadable", .notReadable), ("notAFile", .notAFile), ("notAPlugin", .notAPlugin),
    ("wrongArchitecture", .wrongArchitecture), ("truncated", .truncated), ("damaged", .damaged),
    ("unsafeMemory", .unsafeMemory), ("unsafeName", .unsafeName), ("noEntry", .noEntry), ("replaced", .replaced),
    ("loadFailed", .loadFailed), ("badDescriptor", .badDescriptor), ("duplicate", .duplicate),
    ("unknownPlugin", .unknownPlugin), ("unknownFunction", .unknownFunction), ("badArgument", .badArgument),
    ("badResult", .badResult), ("abandoned", .abandoned), ("tooDeep", .tooDeep), ("closed", .closed),
    ("notIsolated", .notIsolated), ("timedOut", .timedOut), ("notTrusted", .notTrusted),
    ("quarantined", .quarantined), ("overloaded", .overloaded), ("rolledBack", .rolledBack),
    ("notReloadable", .notReloadable),
  ]

  fileprivate var parts: (name: String, details: PluginValue) {
    switch self {
    case .abiRange(let host, let plugin):
      let range = plugin.map { [$0.lowerBound, $0.upperBound] } ?? []
      return ("abiRange", .array(([host] + range).map { .uint(UInt64($0)) }))
    case .badSignature(let error):
      let texts = [error.text, error.found, error.expected].map { PluginValue.string($0) }
      return ("badSignature", .array([.uint(UInt64(max(0, error.column)))] + texts))
    case .layout(let path): return ("layout", .string(path))
    case .missingRequirement(let id): return ("missingRequirement", .string(id))
    case .requirementCycle(let ids): return ("requirementCycle", .array(ids.map { .string($0) }))
    case .refused(let status): return ("refused", .int(Int64(status)))
    case .exception(let type, let message):
      return ("exception", .array([type, message].map { $0.map { .string($0) } ?? .void }))
    // A worker has no workers itself, so it sends no such error.
    case .workerEnded, .notAllowed: return ("badResult", .void)
    default: return (Self.simple.first { $0.kind == self }?.name ?? "badResult", .void)
    }
  }

  fileprivate init?(_ name: String, _ details: PluginValue) {
    if let simple = Self.simple.first(where: { $0.name == name }) {
      self = simple.kind
      return
    }
    switch (name, details) {
    case ("abiRange", .array(let numbers)):
      let numbers = numbers.compactMap { if case .uint(let number) = $0 { UInt32(exactly: number) } else { nil } }
      guard numbers.count == 1 || numbers.count == 3 && numbers[1] <= numbers[2] else { return nil }
      self = .abiRange(host: numbers[0], plugin: numbers.count == 3 ? numbers[1]...numbers[2] : nil)
    case ("badSignature", .array(let parts)):
      guard parts.count == 4, case .uint(let column) = parts[0], case .string(let text) = parts[1],
        case .string(let found) = parts[2], case .string(let expected) = parts[3],
        (1...UInt64(text.unicodeScalars.count) + 1).contains(column)
      else { return nil }
      self = .badSignature(SignatureError(text: text, column: Int(column), found: found, expected: expected))
    case ("layout", .string(let path)): self = .layout(path)
    case ("missingRequirement", .string(let id)): self = .missingRequirement(id)
    case ("requirementCycle", .array(let ids)):
      self = .requirementCycle(ids.compactMap { if case .string(let id) = $0 { id } else { nil } })
    case ("refused", .int(let status)):
      guard let status = Int32(exactly: status) else { return nil }
      self = .refused(status)
    case ("exception", .array(let texts)):
      guard texts.count == 2 else { return nil }
      let texts = texts.map { if case .string(let text) = $0 { text } else { String?.none } }
      self = .exception(type: texts[0], message: texts[1])
    default: return nil
    }
  }
}
