import Runtime

/// The name of a promise and the place where it was created.
public struct PromiseOrigin: Sendable {
  /// A place in the source.
  public struct Place: Equatable, Sendable, CustomStringConvertible {
    /// The file: its path, or `Module/File.swift` if the promise was named there.
    public let file: String
    /// The line, from 1.
    public let line: Int
    /// The function; `nil` if it is unknown.
    public let function: String?

    /// The place as `file:line`, with the function if it is known.
    public var description: String { "\(file):\(line)" + (function.map { " in \($0)" } ?? "") }
  }

  /// The name that `named(_:file:line:)` gave it.
  public internal(set) var name: String?
  /// The place of the call of `named(_:file:line:)`.
  var naming: Place?
  /// The calls at the time of the creation.
  var calls: Backtrace?

  /// The place of the naming, or else the place in the program's own code where the promise was created; `nil` if the
  /// program has no debug information.
  ///
  /// Reading the debug information of a large program takes a second.
  public var place: Place? { naming ?? calls.flatMap(Self.place) }

  /// This origin, with its place read.
  var resolved: PromiseOrigin { PromiseOrigin(name: name, naming: place) }

  /// Returns the place of the innermost call from outside this library.
  private static func place(_ calls: Backtrace) -> Place? {
    guard let frames = calls.symbolicated(with: images)?.frames else { return nil }
    for frame in frames where !frame.isSystem {
      guard let symbol = frame.symbol, let location = symbol.sourceLocation, location.line > 0 else { continue }
      if isOurs(location.path) { continue }
      return Place(file: location.path, line: location.line, function: symbol.name)
    }
    return nil
  }

  private static func isOurs(_ path: String) -> Bool {
    path.isEmpty || path.contains("compiler-generated")
      || path.contains("/Sources/Promises") && root.map(path.hasPrefix) ?? false
  }

  /// The folder of this package, where it was built.
  private static let root: String? = {
    let file = String(describing: #filePath as StaticString)
    let tail = "Sources/PromisesDiagnostics/PromiseOrigin.swift"
    return file.hasSuffix(tail) ? String(file.dropLast(tail.count)) : nil
  }()

  /// The program and its libraries, as loaded when the first place is looked up.
  private static let images = ImageMap.capture()
}

extension PromiseOrigin: CustomStringConvertible {
  /// The name and the place, those that are known.
  public var description: String {
    [name.map { "\"\($0)\"" }, place.map { "created at \($0)" }].compactMap { $0 }.joined(separator: " ")
  }
}
