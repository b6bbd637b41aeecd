import PluginRuntime

/// The functions of a header that say whether a result is an error, and name the error: `unsigned ZSTD_isError(size_t)`
/// and `const char *ZSTD_getErrorName(size_t)`. They are for functions of the same prefix that return such a result.
struct FailureTests {
  private struct Test {
    /// The beginning of the functions' names, in small letters and without underscores.
    let prefix: String
    let name: String
    /// The type of the results.
    let tested: CType
    /// The part of a signature behind `!`.
    let convention: String
  }

  private let header: Header
  private var tests: [Test] = []
  /// The functions that take a result, and return none.
  private var takers: Set<String> = []

  init(_ header: Header, exports: (String) -> Bool) {
    self.header = header
    let names = header.functions.filter { exports($0.symbol) }.compactMap {
      function -> (function: Header.Function, type: CType)? in
      guard let (result, type) = Self.parts(function), case .pointer(let target, true) = header.resolved(result),
        header.resolved(target) == .char
      else { return nil }
      return (function, type)
    }
    for function in header.functions where exports(function.symbol) {
      guard let prefix = Self.prefix(of: function.name, ending: ["iserror", "iserr"]),
        let (result, tested) = Self.parts(function), let type = try? TypeText(header: header).value(result),
        let convention = convention(of: function, prefix, tested, type, names)
      else { continue }
      tests.append(Test(prefix: prefix, name: function.name, tested: tested, convention: convention))
      takers.formUnion([function.name] + names.map(\.function.name))
    }
  }

  /// Returns the part of a signature behind `!`, if the header also has the function that names the error.
  private func convention(
    of function: Header.Function, _ prefix: String, _ tested: CType, _ type: String,
    _ names: [(function: Header.Function, type: CType)]
  ) -> String? {
    guard case .integer = header.resolved(tested), type == "bool" || Self.integers.contains(type) else { return nil }
    let endings = ["geterrorname", "geterrorstring", "geterrormessage", "errorname", "errorstring", "strerror"]
    let name = names.first { name in
      header.resolved(name.type) == header.resolved(tested)
        && Self.prefix(of: name.function.name, ending: endings) == prefix
    }
    guard let name else { return nil }
    // The bits of an unsigned are those of an i32.
    let returned = Self.integers.prefix(2).contains(type) ? "" : " -> \(type)"
    return "if \(function.name)(result)\(returned) message \(name.function.name)(result)"
  }

  private static let integers = ["i32", "u32", "i64", "u64", "usize", "isize", "i8", "u8", "i16", "u16"]

  /// Returns the result of a function, and the only thing that it takes.
  private static func parts(_ function: Header.Function) -> (result: CType, parameter: CType)? {
    guard case .function(let result, let parameters, false)? = function.type, parameters.count == 1 else { return nil }
    return (result, parameters[0])
  }

  /// Returns a name without its ending and underscores, in small letters; nil if it has none of the endings, or nothing
  /// before it.
  private static func prefix(of name: String, ending endings: [String]) -> String? {
    let name = folded(name)
    guard let ending = endings.first(where: name.hasSuffix), name.count > ending.count else { return nil }
    return String(name.dropLast(ending.count))
  }

  /// Returns a name in lower case, without underscores.
  private static func folded(_ name: String) -> String { name.lowercased().filter { $0 != "_" } }

  /// Adds the rule to a drafted function without one whose result such a function tests.
  func add(to drafted: inout AdoptionDraft.Function, _ function: Header.Function) {
    guard drafted.signature.failure == nil, !takers.contains(function.name),
      case .function(let result, _, _)? = function.type
    else { return }
    let name = Self.folded(function.name)
    let fitting = tests.filter { name.hasPrefix($0.prefix) && isResult(result, of: $0.tested) }
    guard let test = fitting.max(by: { $0.prefix.count < $1.prefix.count }) else { return }
    let failing = FailureConvention.add(test.convention, to: drafted.signature) { _ in true }
    guard failing.failure != nil else { return }
    drafted.signature = failing
    drafted.checks.append("\(test.name) is taken to say whether the result is an error")
  }

  /// Whether a result is one that a test is for. A size has room for errors at the end of its range. Another integer
  /// has to be of a type of its own, for its numbers may mean anything.
  private func isResult(_ result: CType, of tested: CType) -> Bool {
    guard header.resolved(result) == header.resolved(tested) else { return false }
    if case .integer(false, 64) = header.resolved(tested) { return true }
    guard case .named(let name) = result, result == tested else { return false }
    return !name.hasPrefix("int") && !name.hasPrefix("uint") && !["ssize_t", "ptrdiff_t", "off_t"].contains(name)
  }
}
