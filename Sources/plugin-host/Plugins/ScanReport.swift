import Glibc
import PluginRuntime

/// The report of a child process about one plugin: its length in 4 bytes, the lowest first, and JSON.
enum ScanReport {
  case description(PluginDescription)
  case failure(Failure)

  /// The size limit of a report, in bytes. A longer description is a failure.
  private static let limit = 64 << 20

  var frame: [UInt8] {
    var text = Array(value.json.utf8)
    if text.count > Self.limit {
      let message = "its description has \(text.count) bytes as JSON, expected at most \(Self.limit)"
      text = Array(ScanReport.failure(Failure(.notLoaded, message)).value.json.utf8)
    }
    return withUnsafeBytes(of: UInt32(text.count).littleEndian, Array.init) + text
  }

  private var value: PluginValue {
    switch self {
    case .description(let plugin): .object([PluginMember("plugin", plugin.value)])
    case .failure(let failure): .object([PluginMember("failure", .array(failure.lines.map { .string($0) }))])
    }
  }

  /// Reads a report, which a hostile plugin may have written.
  init(parsing text: [UInt8]) throws {
    let value = try PluginValue(untyped: JSONText(parsing: text))
    if case .array(let lines)? = value[member: "failure"] {
      let lines = lines.map { line in if case .string(let text) = line { text.displayLine } else { line.json } }
      self = .failure(Failure(.notLoaded, lines: lines))
    } else {
      self = .description(try PluginDescription(from: value[member: "plugin"] ?? .void))
    }
  }

  /// Reads a report piece by piece, without blocking.
  struct Reader {
    private var bytes: [UInt8] = []

    /// Whether the length is invalid.
    var isGarbage: Bool { length.map { $0 > ScanReport.limit } ?? false }

    /// Whether there are bytes behind the report.
    var isMore: Bool { length.map { $0 <= ScanReport.limit && bytes.count > 4 + $0 } ?? false }

    private var length: Int? {
      bytes.count < 4 ? nil : (0..<4).reduce(0) { $0 | Int(bytes[$1]) << (8 * $1) }
    }

    /// Reads the bytes in the pipe, at most a little more than a report.
    mutating func read(from child: inout ChildProcess) {
      while !isGarbage, bytes.count <= ScanReport.limit + 4, let chunk = child.readReport() { bytes += chunk }
    }

    /// Returns the JSON of the report; `nil` while it is not complete.
    func next() -> [UInt8]? {
      guard let length, bytes.count >= 4 + length, !isGarbage else { return nil }
      return Array(bytes[4..<4 + length])
    }
  }
}
