import PluginRuntime

extension TypeMap {
  /// Reads a type map. The failure lists all of its mistakes.
  ///
  ///     types:
  ///       xmlChar: text
  ///       uuid_t: '[u8; 16]'
  ///       CURL: handle
  ///     elements:
  ///       glLight*v.params: 4
  ///       pcre2_match_*.argument2: argument3
  ///     parameters:
  ///       gcry_random_bytes.result: own(gcry_free) bytes[nbytes]?
  ///     failures:
  ///       CURLcode: nonzero message curl_easy_strerror
  static func read(_ path: String) throws(Failure) -> TypeMap {
    let file = try SourceFile.read(path, or: .usage)
    let document = YAMLDocument(file: file)
    var map = TypeMap()
    let record = document.root().flatMap {
      document.record(of: $0, what: "a type map", known: ["types", "elements", "parameters", "failures"])
    }
    if let record, ["elements", "parameters", "failures"].allSatisfy({ record[$0] == nil }) {
      _ = document.required("types", of: record, what: "a type map")
    }
    read(record?["types"], "types", "the meaning of", document) { name, text throws(Unsuitable) in
      do throws(Unsuitable) {
        map.types[name] = try Meaning(text)
      } catch {
        throw Unsuitable("text, handle, optional, or a type: \(error.reason)")
      }
    }
    read(record?["elements"], "elements", "the number of", document) { name, text throws(Unsuitable) in
      guard let number = Elements(text), name.contains(".") else {
        throw Unsuitable(
          "FUNCTION.PARAMETER and a number up to 65536, 0 for data that ends with a 0, or the parameter that counts")
      }
      map.elements[name] = number
    }
    read(record?["parameters"], "parameters", "the signature of", document) { name, text throws(Unsuitable) in
      guard name.contains(".") else { throw Unsuitable("FUNCTION.PARAMETER or FUNCTION.result as the name") }
      if let mistake = mistake(in: text, of: name) {
        throw Unsuitable("in, out, inout, or a type of a signature: \(mistake)")
      }
      map.parameters[name] = text
    }
    read(record?["failures"], "failures", "the failure of", document) { name, text throws(Unsuitable) in
      if text != "none", let mistake = FailureConvention.mistake(in: text) {
        throw Unsuitable("none, or a rule as after '!' in a signature: \(mistake)")
      }
      map.failures[name] = text
    }
    guard document.mistakes.isEmpty else {
      throw Failure(.usage, lines: FileMistakes(files: [file], mistakes: document.mistakes).lines)
    }
    return map
  }

  /// Returns why a text cannot replace a parameter, or the result, of a signature; nil if it can. Names of other
  /// parameters in the text are those of the function's parameters.
  static func mistake(in text: String, of name: String) -> String? {
    if ["in", "out", "inout"].contains(text) { return nil }
    let isResult = name.hasSuffix(".result")
    // Declares the parameters that count this one, and the one that the result counts.
    var others = text.matches(of: #/(?:\[|; )([A-Za-z_]\w*)\]/#).map { "\($0.output.1): inout u64" }
    if let counted = text.firstMatch(of: #/counts (\w+)/#) {
      others.append("\(counted.output.1): out bytes[n_], n_: u64")
    }
    // Fields at an address are counted by fields.
    if text.hasPrefix("at ") { others = [] }
    if name.hasSuffix("....") { others = ["first_: i32", text] } else if !isResult { others.append("value_: \(text)") }
    do throws(SignatureError) {
      _ = try Signature(parsing: "f(\(others.joined(separator: ", ")))\(isResult ? " -> \(text)" : "")")
      return nil
    } catch {
      return "found \(error.found), expected \(error.expected)"
    }
  }

  /// Reads the fields of a part of the map. `add` throws the expectation for a text that is wrong.
  private static func read(
    _ node: YAMLNode?, _ name: String, _ what: String, _ document: YAMLDocument,
    add: (_ name: String, _ text: String) throws(Unsuitable) -> Void
  ) {
    guard let node, let fields = document.fields(of: node, what: "\"\(name)\"") else { return }
    for field in fields {
      guard let text = document.text(of: field.value, what: "\(what) \(field.key.value)") else { continue }
      do throws(Unsuitable) {
        try add(field.key.value, text.value)
      } catch {
        document.report(text.location, "\(field.key.value) is \"\(text.value)\", expected \(error.reason)")
      }
    }
  }
}
