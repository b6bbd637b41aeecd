import PluginRuntime

/// Reads a YAML file with the signatures of a library's functions:
///
///     library: libz.so.1
///     description: Compression.
///     functions:
///       - signature: 'zlibVersion() -> cstr'
///         description: The version of zlib.
struct AdoptionFile {
  /// The suffix of such files in the search path. A file given by its path may have any name.
  static let suffix = ".adopt.yaml"

  private let document: YAMLDocument

  static func isNamed(_ path: String) -> Bool { path.hasSuffix(".yaml") || path.hasSuffix(".yml") }

  /// Returns the adoption that the file at `path` describes. The failure lists all mistakes in it. Checks the trust of
  /// the library.
  static func read(_ path: String, trust: FileTrust) throws(Failure) -> Adoption {
    let file = try SourceFile.readRegular(path, or: .notLoaded)
    let reader = AdoptionFile(document: YAMLDocument(file: file))
    let adoption = reader.adoption()
    guard let adoption, reader.document.mistakes.isEmpty else {
      throw Failure(.notLoaded, lines: FileMistakes(files: [file], mistakes: reader.document.mistakes).lines)
    }
    try trust.check(library: adoption.library)
    return adoption
  }

  private func adoption() -> Adoption? {
    let what = "an adoption"
    let known = ["id", "library", "version", "description", "functions", "constants"]
    guard let root = document.root(), let record = document.record(of: root, what: what, known: known),
      let library = document.required("library", of: record, what: what),
      let path = document.text(of: library, what: "the library"),
      let functions = document.required("functions", of: record, what: what)
    else { return nil }
    return Adoption(
      id: text("id", of: record) ?? Self.id(ofFile: document.file.path), library: resolved(path.value),
      version: text("version", of: record), description: text("description", of: record),
      functions: self.functions(document.elements(of: functions, what: "\"functions\"") ?? []),
      constants: record["constants"].map(constants) ?? [], file: document.file.path)
  }

  /// Reads the functions, each of which has a name of its own.
  private func functions(_ nodes: [YAMLNode]) -> [Adoption.Function] {
    var lines: [String: Int] = [:]
    return nodes.compactMap { node in
      guard let function = function(node) else { return nil }
      let name = function.signature.name
      if let first = lines[name] {
        document.report(
          node.location,
          "a second function named '\(name)'; the first is in line \(first): give it another name, and its "
            + "name in the library as its symbol")
      }
      lines[name] = node.location.line
      return function
    }
  }

  /// Reads a function: a mapping, or only its signature.
  private func function(_ node: YAMLNode) -> Adoption.Function? {
    if node.text != nil { return signature(node).map { Adoption.Function(signature: $0) } }
    if isUnquotedSignature(node) { return nil }
    let known = ["signature", "description", "symbol"]
    guard let record = document.record(of: node, what: "a function", known: known),
      let text = document.required("signature", of: record, what: "a function"), let signature = signature(text)
    else { return nil }
    return Adoption.Function(
      signature: signature, description: self.text("description", of: record), symbol: self.text("symbol", of: record))
  }

  /// Reads the library's named integers: `constants: {Z_BEST_SPEED: 1}`.
  private func constants(_ node: YAMLNode) -> [ConstantSet.Constant] {
    (document.fields(of: node, what: "\"constants\"") ?? []).compactMap { field in
      guard let text = document.text(of: field.value, what: "the value of \(field.key.value)") else { return nil }
      let digits = text.value.drop { $0 == "-" || $0 == "+" }
      guard !(digits.count > 1 && digits.allSatisfy(\.isNumber) && digits.hasPrefix("0")) else {
        document.report(
          text.location, "\(field.key.value): \(text.value) would be octal in C; write it as decimal or 0x")
        return nil
      }
      let value = (try? ValueType.i64.value(fromText: text.value)) ?? (try? ValueType.u64.value(fromText: text.value))
      guard let value, field.key.value.isName else {
        document.report(
          text.location,
          "\(field.key.value): \(text.value) is not a constant, expected a name of C and an integer of 64 bits")
        return nil
      }
      return ConstantSet.Constant(name: field.key.value, value: value)
    }
  }

  /// Whether the node is a signature without quotes, which YAML reads as a mapping: the colon after a parameter's name
  /// ends a key. Reports the mistake if so.
  private func isUnquotedSignature(_ node: YAMLNode) -> Bool {
    guard case .mapping(let mapping) = node.content, mapping.contains(where: { $0.key.text?.contains("(") ?? false })
    else {
      return false
    }
    document.report(node.location, "a signature must stand in quotes: 'name(parameter: type) -> type'")
    return true
  }

  private func signature(_ node: YAMLNode) -> Signature? {
    if isUnquotedSignature(node) { return nil }
    guard let text = document.text(of: node, what: "a signature") else { return nil }
    do {
      return try Signature(parsing: text.value)
    } catch {
      document.report(
        text.location, "in the signature, column \(error.column): found \(error.found), expected \(error.expected)")
      return nil
    }
  }

  private func text(_ key: String, of record: YAMLDocument.Record) -> String? {
    record[key].flatMap { document.text(of: $0, what: "\"\(key)\"") }?.value
  }

  /// Resolves a relative path against the file's folder.
  private func resolved(_ library: String) -> String {
    guard library.isPath, !library.isAbsolutePath else { return library }
    return Directory.join(Directory.parent(of: document.file.path), library)
  }

  /// Returns the id of a plugin in a file without one: `zlib` for `some/zlib.adopt.yaml`.
  static func id(ofFile path: String) -> String {
    let name = Directory.name(of: path)
    let ending = [suffix, ".adopt.yml", ".yaml", ".yml"].first { name.hasSuffix($0) && name != $0 } ?? ""
    return name.dropLast(ending.count).idText
  }

  /// Returns the id for the draft of a header: `zlib` for `/usr/include/zlib.h`.
  static func id(ofHeader path: String) -> String {
    let name = Directory.name(of: path)
    return (name.hasSuffix(".h") ? name.dropLast(2) : name[...]).idText
  }
}

extension Adoption {
  /// Makes an adoption of one function of a library, for a single call.
  init(of library: String, signature: Signature, symbol: String?) {
    let name = Directory.name(of: library)
    let stem = name.firstRange(of: ".so").map { name[..<$0.lowerBound] } ?? name[...]
    self.init(
      // One component: libglib-2.0.so.0 is not named "0".
      id: stem.isEmpty ? "library" : stem.idText.replacing(".", with: "_"), library: library,
      functions: [Adoption.Function(signature: signature, symbol: symbol)])
  }
}

extension StringProtocol {
  /// Whether the text is a name in C.
  fileprivate var isName: Bool {
    utf8.first.map { !(UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) } ?? false
      && allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber) || $0 == "_" }
  }

  /// The text as an id, with `_` in place of characters that ids cannot have.
  fileprivate var idText: String {
    String(map { $0.isASCII && ($0.isLetter || $0.isNumber) || ".-_".contains($0) ? $0 : "_" })
  }
}
