extension Header {
  /// Returns the reason why a function with a `va_list` is left out, and its substitute: the variadic function for the
  /// same work, if the header declares it.
  func advice(onArgumentListOf name: String) -> String {
    let other = Self.variadicNames(of: name).first { candidate in
      functions.contains { $0.name == candidate && $0.isVariadic }
    }
    let advice = other.map { "call \($0)" } ?? "write a C function that makes it of other arguments, and adopt that one"
    return "takes a va_list, which only C code can make: \(advice)"
  }

  /// Returns the names that the variadic function may have: without a `v` (`gzvprintf`, `PyErr_FormatV`), or without
  /// an end such as `_valist`.
  private static func variadicNames(of name: String) -> [String] {
    let ends = ["_valist", "_va_list", "_va", "VaList", "Valist", "VA", "Va"].filter(name.hasSuffix)
    let letters = name.indices.filter { name[$0] == "v" || name[$0] == "V" }
    return ends.map { String(name.dropLast($0.count)) }
      + letters.map { String(name[..<$0] + name[name.index(after: $0)...]) }
  }
}

extension Header.Function {
  fileprivate var isVariadic: Bool { if case .function(_, _, isVariadic: true)? = type { true } else { false } }
}
