import Synchronization

/// A rule of the program for the libraries that may be mapped, in addition to the verifier's checks.
///
/// The rule receives the descriptor of the file, or of its sealed copy, that is mapped afterwards. So it applies to
/// that file, even if the path leads to another one by then. It applies to the libraries that a plugin needs as well,
/// except those of the system. For a plugin in a worker process, the worker applies it.
public enum LibraryAdmission {
  /// The reason why a library is not mapped.
  public enum Refusal: Sendable {
    /// The program does not trust the file.
    case notTrusted(String)
    /// The file is in quarantine.
    case quarantined(String)
  }

  /// Judges the file of a plugin or an adopted library; `nil` admits it. May be called from any thread.
  public typealias Rule = @Sendable (_ path: String, _ descriptor: Int32) -> Refusal?

  private static let rule = Mutex<Rule?>(nil)

  /// Installs the rule of this process, and replaces the previous rule.
  public static func install(_ rule: @escaping Rule) {
    // Releases the previous rule outside the lock.
    var rule: Rule? = rule
    Self.rule.withLock { swap(&$0, &rule) }
  }

  /// Returns the paths of the files that the rule is applied to before a library is mapped: its own first, then those
  /// of the needed libraries that are found. `path` may also be a name to search for, such as libz.so.1. Fails if they
  /// take too much work to verify.
  public static func files(judgedFor path: String) throws(PluginError) -> [String] {
    let closure = try LibraryDependencies.closure(of: (try? LibraryFinder.path(of: path)) ?? path, outside: [])
    return closure.prefix(1) + closure.dropFirst().filter { (try? PluginFile(opening: $0))?.isOfSystem == false }
  }

  static func check(_ file: PluginFile) throws(PluginError) {
    guard let rule = rule.withLock({ $0 }) else { return }
    switch rule(file.path, file.descriptor) {
    case .notTrusted(let reason): throw PluginError(.notTrusted, file.path, reason)
    case .quarantined(let reason): throw PluginError(.quarantined, file.path, reason)
    case nil: break
    }
  }
}
