/// A signature made of a C function's prototype, or why there is none.
enum SignatureDraft {
  /// The text, and what somebody who knows the library has to look at.
  case signature(String, checks: [String])
  /// Why not.
  case leftOut(String)

  init(_ function: Header.Function, in header: Header) {
    if function.isInline {
      self = .leftOut("inline: the library has no such symbol")
    } else if !function.returns {
      self = .leftOut("does not return")
    } else if Self.returningTwice.contains(function.name) {
      self = .leftOut("returns more than once, or to elsewhere")
    } else if case .function(let result, let types, let isVariadic)? = function.type {
      do throws(Unsuitable) {
        var writer = SignatureWriter(function, types, header)
        let text = try writer.signature(result: result, isVariadic: isVariadic)
        self = .signature(text, checks: writer.checks)
      } catch {
        self = .leftOut(error.reason)
      }
    } else {
      self = .leftOut("its type is not understood")
    }
  }

  private static let returningTwice: Set<String> = [
    "setjmp", "_setjmp", "sigsetjmp", "__sigsetjmp", "longjmp", "_longjmp", "siglongjmp", "vfork", "getcontext",
    "setcontext", "makecontext", "swapcontext",
  ]
}

/// Why a function is left out.
struct Unsuitable: Error {
  let reason: String
  init(_ reason: String) { self.reason = reason }
}

/// Writes the signature of one function. What the prototype leaves open is taken the way that cannot write where nothing
/// is, and said in `checks`; what has no such way is left out.
struct SignatureWriter {
  private let function: Header.Function
  private let types: [CType]
  private let names: [String]
  private let header: Header
  private let text: TypeText
  private let counts: CountedParameters
  private(set) var checks: [String] = []

  init(_ function: Header.Function, _ types: [CType], _ header: Header) {
    self.function = function
    self.types = types
    self.header = header
    text = TypeText(header: header)
    names = Self.names(function, count: types.count)
    counts = CountedParameters(of: function, types.map(header.resolved), names, header)
  }

  mutating func signature(result: CType, isVariadic: Bool) throws(Unsuitable) -> String {
    if isVariadic {
      throw Unsuitable("variadic: the header does not say what may follow; write it as a tail, ...: i32 | f64 | cstr")
    }
    var parameters: [String] = []
    for index in types.indices { parameters.append("\(names[index]): \(try parameter(index))") }
    let returned = try self.result(result)
    return "\(function.name)(\(parameters.joined(separator: ", ")))\(returned.map { " -> \($0)" } ?? "")"
  }

  /// Names that a signature can have, each once.
  private static func names(_ function: Header.Function, count: Int) -> [String] {
    var taken: Set<String> = ["result"]
    return (0..<count).map { index in
      let given = index < function.parameters.count ? function.parameters[index].name ?? "" : ""
      // The C library's own begin with underscores.
      var name = String(given.drop { $0 == "_" }.map { $0.isASCII ? $0 : "_" })
      if name.isEmpty { name = "argument\(index + 1)" }
      while !taken.insert(name).inserted { name += "_" }
      return name
    }
  }

  private mutating func parameter(_ index: Int) throws(Unsuitable) -> String {
    let type = header.resolved(types[index])
    let name = names[index]
    if text.isArgumentList(types[index]) { throw Unsuitable("takes a va_list") }
    if case .function = type { throw noScope(name) }
    guard case .pointer(let target, let isConst) = type else {
      if counts.isLengthAddress(index), case .pointer(let number, _) = type { return "inout \(try text.value(number))" }
      return try text.value(types[index])
    }
    if counts.isLengthAddress(index) { return "inout \(try text.value(target))" }
    if let count = counts.count(of: index) {
      let content = text.content(of: target, count: names[count])
      checks.append("\(name) is taken to \(isConst ? "have" : "have room for") \(names[count]) elements")
      return isConst ? content : "out \(content)"
    }
    return try pointer(to: target, isConst, name, isArray: isArray(index), type: types[index])
  }

  private func isArray(_ index: Int) -> Bool {
    index < function.parameters.count && function.parameters[index].isArray
  }

  private func noScope(_ name: String) -> Unsuitable {
    Unsuitable(
      "'\(name)' is a function pointer: nothing says how long it may be called; write it as fn(...) with a scope, "
        + "@call, @once or @forever")
  }

  /// A parameter that is an address by itself.
  private mutating func pointer(
    to target: CType, _ isConst: Bool, _ name: String, isArray: Bool, type: CType
  ) throws(Unsuitable) -> String {
    let pointee = header.resolved(target)
    switch pointee {
    case .function: throw noScope(name)
    case .char where isConst: return "cstr"
    case .char: throw Unsuitable("'\(name)' is written to, and nothing says how much room it needs")
    case .void: return "ptr<void>?"
    case .bool, .integer, .float, .double, .tagged("enum", _):
      if isConst || isArray || counts.isAmbiguous { throw Unsuitable("nothing says how many elements '\(name)' has") }
      checks.append("\(name) is taken to be one \(try text.value(target)) that is written, not read")
      return "out \(try text.value(target))"
    case .pointer(let inner, _):
      guard !isConst, !isArray, !counts.isAmbiguous else { throw Unsuitable("'\(name)' may be an array of addresses") }
      if case .function = header.resolved(inner) { throw noScope(name) }
      checks.append("\(name) is taken to be one address that is written, not read")
      return "out ptr<\(text.name(of: inner))>?"
    case .tagged:
      guard text.isPlain(pointee), !isArray else { return "ptr<\(text.name(of: target, or: type))>" }
      if isConst { return "&\(try text.value(target))" }
      checks.append("\(name) is taken to be read and written; if it is only written, it is out")
      return "inout \(try text.value(target))"
    case .array, .named, .unknown: return "ptr<\(text.name(of: target, or: type))>"
    }
  }

  private mutating func result(_ type: CType) throws(Unsuitable) -> String? {
    switch header.resolved(type) {
    case .void: return nil
    case .function: throw Unsuitable("returns a function")
    case .pointer(let target, let isConst):
      switch header.resolved(target) {
      case .function: throw Unsuitable("returns a function pointer")
      case .char:
        if !isConst {
          checks.append("the result is taken to be the library's; if the caller frees it, it is own(free) cstr")
        }
        return "cstr?"
      default: return "ptr<\(text.name(of: target, or: type))>?"
      }
    default: return try text.value(type)
    }
  }
}
