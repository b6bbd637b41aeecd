import Glibc
import PluginRuntime

/// The functions of a C or C++ library according to its debug information (DWARF). Runs `readelf`, which every
/// compiler's system has: a reader of our own would be many times the size of the verifier.
struct DebugFunctions {
  /// The functions by their addresses in the file.
  private(set) var shapes: [UInt64: CFunctionShape] = [:]

  private struct Entry {
    let tag: Substring
    var type: UInt64?
    /// The entry with the attributes that this one lacks.
    var origin: UInt64?
    var address: UInt64?
    var size: Int?
    var isFloat: Bool?
    var parameters: [UInt64] = []
    var isVariadic = false
  }

  private var entries: [UInt64: Entry] = [:]
  /// The offsets of the entry being read and of those that enclose it.
  private var path: [UInt64] = []
  private var isOfC = false

  /// The size of the longest file that is read, in bytes.
  static let longest = 64 << 20

  /// Reads the debug information of the file at `path`.
  ///
  /// - Throws: `Command.Failure`; a file without debug information does not throw.
  init(of path: String, timeout: Duration) throws(Command.Failure) {
    // For a damaged file readelf prints the entries that it could read, and fails.
    let output = try Command.run("readelf", ["--debug-dump=info", "--wide", path], timeout: timeout).output
    for line in output.split(separator: UInt8(ascii: "\n")) { read(Substring(decoding: line, as: UTF8.self)) }
    for entry in entries.values where entry.tag == "subprogram" {
      if let address = entry.address { shapes[address] = shape(of: entry) }
    }
    (entries, self.path) = ([:], [])
  }

  // MARK: Lines

  /// Reads a line. ` <2><77a>: Abbrev Number: 1 (DW_TAG_formal_parameter)` begins an entry, at depth 2 and offset
  /// 0x77a; `    <77b>   DW_AT_type        : (ref4) <0x2ce>` is an attribute of it. Older versions print no form in
  /// brackets.
  private mutating func read(_ line: Substring) {
    let text = line.drop { $0 == " " }
    guard text.first == "<" else { return }
    let parts = text.split(separator: ":", maxSplits: 1)
    guard parts.count == 2 else { return }
    if let tag = parts[1].firstRange(of: "(DW_TAG_") {
      let numbers = parts[0].split { $0 == "<" || $0 == ">" }
      guard numbers.count == 2, let depth = Int(numbers[0]), let offset = UInt64(numbers[1], radix: 16) else { return }
      begin(parts[1][tag.upperBound...].prefix { $0 != ")" }, offset, depth)
    } else if let name = parts[0].firstRange(of: "DW_AT_") {
      set(parts[0][name.upperBound...].prefix { $0 != " " }, parts[1])
    }
  }

  private mutating func begin(_ tag: Substring, _ offset: UInt64, _ depth: Int) {
    path = Array(path.prefix(depth))
    if path.isEmpty { isOfC = false }
    if isOfC, let parent = path.last {
      if tag == "formal_parameter" { entries[parent]?.parameters.append(offset) }
      if tag == "unspecified_parameters" { entries[parent]?.isVariadic = true }
    }
    if isOfC || path.isEmpty { entries[offset] = Entry(tag: tag) }
    path.append(offset)
  }

  private mutating func set(_ name: Substring, _ value: Substring) {
    guard let offset = path.last else { return }
    switch name {
    case "language": isOfC = value.contains("(C") || value.contains("(ANSI C") || value.contains("C++")
    case "type": entries[offset]?.type = Self.reference(value)
    case "abstract_origin", "specification": entries[offset]?.origin = Self.reference(value)
    case "low_pc": entries[offset]?.address = Self.number(value)
    case "byte_size": entries[offset]?.size = Self.number(value).map { Int(truncatingIfNeeded: $0) }
    // DW_ATE_float. DW_ATE_complex_float and others have no CTypeShape.
    case "encoding": entries[offset]?.isFloat = Self.number(value).flatMap { $0 == 4 ? true : $0 == 3 ? nil : false }
    default: break
    }
  }

  /// Parses `<0x2ce>`, with more text around it.
  private static func reference(_ value: Substring) -> UInt64? {
    value.firstRange(of: "<0x").flatMap { UInt64(value[$0.upperBound...].prefix { $0.isHexDigit }, radix: 16) }
  }

  /// Parses `(data1) 8 (unsigned char)`, `8`, or `0x1189`.
  private static func number(_ value: Substring) -> UInt64? {
    var rest = value.drop { $0 == " " }
    if rest.first == "(" { rest = rest.drop { $0 != ")" }.dropFirst().drop { $0 == " " } }
    if rest.hasPrefix("0x") { return UInt64(rest.dropFirst(2).prefix { $0.isHexDigit }, radix: 16) }
    return UInt64(rest.prefix { $0.isNumber })
  }

  // MARK: Shapes

  private func shape(of function: Entry) -> CFunctionShape {
    let declared = function.origin.flatMap { entries[$0] }
    let parameters = function.parameters.isEmpty ? declared?.parameters ?? [] : function.parameters
    return CFunctionShape(
      parameters: parameters.map { offset in
        guard let type = type(of: entries[offset]) else { return nil }
        return shape(ofType: type)
      },
      result: type(of: function).map { shape(ofType: $0) } ?? CTypeShape(.void, 0),
      isVariadic: function.isVariadic || declared?.isVariadic == true)
  }

  private func type(of entry: Entry?) -> UInt64? {
    var entry = entry
    for _ in 0..<8 {
      if let type = entry?.type { return type }
      guard let origin = entry?.origin else { return nil }
      entry = entries[origin]
    }
    return nil
  }

  /// Returns the shape of a type; `nil` for an unknown type, or one without a CTypeShape.
  private func shape(ofType offset: UInt64) -> CTypeShape? {
    var offset = offset
    for _ in 0..<32 {
      guard let entry = entries[offset] else { return nil }
      switch entry.tag {
      case "typedef", "const_type", "volatile_type", "restrict_type", "atomic_type":
        guard let next = entry.type else { return CTypeShape(.void, 0) }
        offset = next
      case "base_type":
        guard let isFloat = entry.isFloat, let size = entry.size else { return nil }
        return CTypeShape(isFloat ? .float : .integer, size)
      case "enumeration_type": return entry.size.map { CTypeShape(.integer, $0) }
      case "structure_type", "class_type", "union_type": return entry.size.map { CTypeShape(.structure, $0) }
      case "pointer_type", "reference_type", "rvalue_reference_type", "unspecified_type":
        return CTypeShape(.pointer, MemoryLayout<Int>.size)
      default: return nil
      }
    }
    return nil
  }
}
