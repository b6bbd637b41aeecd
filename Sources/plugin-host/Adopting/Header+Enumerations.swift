import PluginRuntime

extension Header {
  /// The constants of the enums that parameters have, and that have too many names for a signature: `CURLoption`.
  var constantsOfLongEnumerations: [ConstantSet.Constant] {
    var tags: [String] = []
    for function in functions {
      guard case .function(_, let parameters, _)? = function.type else { continue }
      for case .tagged("enum", let tag) in parameters.map(resolved) where !tags.contains(tag) { tags.append(tag) }
    }
    var names = Set(macros.all.map(\.name))
    return tags.map(constants(ofEnumeration:)).filter { EnumerationText($0, isFlags: false).isTooLong }.joined()
      .compactMap { constant in
        guard names.insert(constant.name).inserted else { return nil }
        return ConstantSet.Constant(name: constant.name, value: .int(constant.value))
      }
  }
}
