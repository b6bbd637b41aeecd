import PluginRuntime

/// A first adoption of a library, made from a header.
struct AdoptionDraft {
  struct Function {
    var signature: Signature
    var symbol: String?
    var description: String?
    var checks: [String]
    /// The parameters whose direction calls have to show.
    var guesses: [Guess] = []
    /// The file that declares the function.
    var file: String
  }

  private(set) var functions: [Function] = []
  private(set) var leftOut: [(name: String, reason: String, file: String)] = []
  /// The other headers that declare functions of the library, with the number of functions in each.
  private(set) var elsewhere: [String: Int] = [:]
  /// The integers that macros of the header define, and enums with too many names for signatures.
  private let constants: [ConstantSet.Constant]

  /// `exports` says whether the library has a symbol, `provides` whether it or one that it links has it, `origin` how a
  /// file relates to the header. `library` is the library's file, as the draft has it.
  init(
    _ header: Header, library: String, exports: (String) -> Bool, provides: (String) -> Bool,
    origin: (String) -> Clang.Origin
  ) {
    constants = header.macros.all + header.constantsOfLongEnumerations
    let ownership = Ownership(header, exports: exports, provides: provides)
    let callerAllocated = CallerAllocated(header, exports: exports)
    let tests = FailureTests(header, exports: exports)
    for function in header.functions {
      let origin = origin(function.file)
      guard origin == .own || origin == .shared && exports(function.symbol) else {
        if exports(function.symbol) { elsewhere[function.file, default: 0] += 1 }
        continue
      }
      guard exports(function.symbol) else {
        leftOut.append(
          (
            function.name, function.isInline ? "inline, or not exported" : "the library does not export it",
            function.file
          ))
        continue
      }
      switch SignatureDraft(function, in: header, ownership, callerAllocated) {
      case .leftOut(let reason): leftOut.append((function.name, reason, function.file))
      case .signature(let text, let checks, let guesses):
        do {
          var drafted = Function(
            signature: FailureConvention.add(
              header.failure(of: function), to: try Signature(parsing: text), provides: provides),
            symbol: function.symbol == function.name ? nil : function.symbol, description: function.description,
            checks: checks, guesses: guesses, file: function.file)
          tests.add(to: &drafted, function)
          functions.append(drafted)
        } catch {
          leftOut.append((function.name, "found \(error.found), expected \(error.expected)", function.file))
        }
      }
    }
    let structs = StructFunctions(header)
    if provides("memcpy"), provides("memset") { functions += structs.functions(for: functions) }
    guard header.hasCallerMemory else { return }
    structs.markUnmade(in: &functions)
    let names = Set(header.functions.map(\.name))
    functions += FunctionAddresses.functions(for: functions, of: library, except: names, provides: provides)
    functions += MemoryFunctions.functions(for: functions, except: names, provides: provides)
  }

  /// Calls `reason` for each function, which it may change, and leaves out the functions for which it returns a reason.
  mutating func revise(_ reason: (inout Function) -> String?) {
    var kept: [Function] = []
    for var function in functions {
      if let reason = reason(&function) {
        leftOut.append((function.signature.name, reason, function.file))
      } else {
        kept.append(function)
      }
    }
    functions = kept
  }

  /// Returns the draft as a file for `plugin-host call`.
  func yaml(id: String, library: String, header: String) -> String {
    var lines = [
      YAMLText.comment("A first version, made from \(header) by plugin-host adopt. A header does not say everything:"),
      YAMLText.comment("look at functions marked with \"check\" before you call them."), "id: \(YAMLText.quoted(id))",
      "library: \(YAMLText.quoted(library))",
      functions.isEmpty ? "functions: []" : "functions:",
    ]
    for function in functions {
      lines += function.checks.map { "  " + YAMLText.comment("check: \($0)") }
      lines.append("  - signature: \(YAMLText.quoted(function.signature.description))")
      if let symbol = function.symbol { lines.append("    symbol: \(YAMLText.quoted(symbol))") }
      if let description = function.description { lines.append("    description: \(YAMLText.quoted(description))") }
    }
    if !constants.isEmpty {
      lines += ["constants:"] + constants.map { "  \($0.name): \($0.value.json)" }
    }
    if !leftOut.isEmpty {
      lines += ["", "# Left out:"] + leftOut.map { YAMLText.comment("  \($0.name): \($0.reason)") }
    }
    return lines.map { $0 + "\n" }.joined()
  }

  /// Returns a summary for people: the number of drafted functions, and the reasons why others are left out.
  func report(header: String) -> [String] {
    let checked = functions.count { !$0.checks.isEmpty }
    let first = "\(header): \(functions.count) functions, \(checked) of them to be checked, \(leftOut.count) left out"
    return [first.displayLine] + leftOut.map { "  \("\($0.name): \($0.reason)".displayLine)" }
  }
}
