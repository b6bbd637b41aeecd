import PluginRuntime

/// The integers that macros of a header define, by their names.
struct MacroNames {
  private(set) var all: [ConstantSet.Constant] = []
  private var values: [String: Int64] = [:]

  init(_ names: [String] = [], values: [String: PluginValue] = [:]) {
    for name in names {
      guard let value = values[name] else { continue }
      all.append(ConstantSet.Constant(name: name, value: value))
      if case .int(let number) = value { self.values[name] = number }
    }
  }

  /// Returns the constants that a parameter's documentation names, and all others with their common prefix. Empty if it
  /// names fewer than two, or if the type cannot hold one of them.
  func group(in documentation: String, isSigned: Bool, bits: Int) -> [(name: String, value: Int64)] {
    var named: [String] = []
    for word in documentation.split(whereSeparator: { !$0.isLetter && !$0.isNumber && $0 != "_" }).map(String.init)
    where values[word] != nil && !named.contains(word) {
      named.append(word)
    }
    guard named.count >= 2 else { return [] }
    let prefix = Self.prefix(named)
    let group: [(name: String, value: Int64)] = all.compactMap { constant in
      guard named.contains(constant.name) || !prefix.isEmpty && constant.name.hasPrefix(prefix) else { return nil }
      return values[constant.name].map { (constant.name, $0) }
    }
    let highest = bits >= 64 ? Int64.max : (1 << (isSigned ? bits - 1 : bits)) - 1
    let lowest = isSigned ? -highest - 1 : 0
    return group.allSatisfy { (lowest...highest).contains($0.value) } ? group : []
  }

  /// Returns the common prefix of names, such as `SQLITE_OPEN_`: at least two words, each with its underscore.
  private static func prefix(_ names: [String]) -> String {
    guard var common = names.first else { return "" }
    for name in names { while !name.hasPrefix(common) { common.removeLast() } }
    while !common.isEmpty, common.last != "_" { common.removeLast() }
    return common.count(where: { $0 == "_" }) >= 2 ? common : ""
  }
}
