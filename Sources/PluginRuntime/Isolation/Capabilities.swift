import Glibc

/// The rights of a worker process beyond computing with its arguments. A new value grants none.
///
///     options.capabilities.reads = ["/usr/share/dict"]
///     try options.capabilities.allow("memory=512M")
///
/// `docs/isolation.md` says how each is enforced, and on which kernels.
public struct Capabilities: Sendable, Equatable {
  /// Sockets of every family.
  public var network = false
  /// Child processes with the same rights, and the execution of programs: those of the system, and files that may be
  /// read.
  public var processes = false
  /// Existing files and folders that may be read, each with everything below it.
  public var reads: [String] = [] { didSet { arePathsResolved = false } }
  /// Existing files and folders that may be written, with everything below them: also creating, renaming and removing.
  public var writes: [String] = [] { didSet { arePathsResolved = false } }
  /// The names of variables of the host's environment that the worker gets besides the common ones: those that choose
  /// language, time zone, and folders of programs, libraries and settings.
  public var environment: [String] = []
  /// The private writable memory of the process in bytes, stacks of threads included; `nil` for no limit.
  public var memory: UInt64?
  /// The processor time of each process, rounded up to seconds; a process is killed when it is used up; `nil` for no
  /// limit.
  public var cpuTime: Duration?
  /// Whether the worker has all rights of its user, and nothing is enforced.
  public var isUnrestricted = false

  /// Whether the paths are those that symbolic links led to before any code of the plugin ran. Capabilities with such
  /// paths do not equal those without.
  private(set) var arePathsResolved = false

  /// Creates the capabilities of a plugin that only computes.
  public init() {}

  /// All rights of the user.
  public static let unrestricted: Capabilities = {
    var all = Capabilities()
    all.isUnrestricted = true
    return all
  }()

  /// The forms of a capability as text.
  public static let forms =
    "network, processes, read=PATH, write=PATH, env=NAME, memory=SIZE (such as 512M), cpu=TIME (such as 5m) or all"

  private static let names = ["network", "processes", "read", "write", "env", "memory", "cpu", "all"]

  /// Adds a capability that is written as text, in one of `forms`.
  ///
  /// - Parameters:
  ///   - folder: the folder that a relative path starts from; `nil` for the working directory.
  /// - Throws: `CapabilityMistake`.
  public mutating func allow(_ text: String, from folder: String? = nil) throws(CapabilityMistake) {
    let setting = text.cut(at: "=")
    let name = setting?.before ?? text
    switch (name, setting?.after) {
    case ("network", nil): network = true
    case ("processes", nil): processes = true
    case ("all", nil): isUnrestricted = true
    case ("read", let content?) where !content.isEmpty: reads.append(Self.path(content, from: folder))
    case ("write", let content?) where !content.isEmpty: writes.append(Self.path(content, from: folder))
    case ("env", let content?):
      guard !content.isEmpty, content.cut(at: "=") == nil else {
        throw CapabilityMistake(description: "\"\(text)\" is not a capability: expected env=NAME, without a value")
      }
      environment.append(content)
    case ("memory", let content?):
      guard let size = Self.size(content) else {
        throw CapabilityMistake(
          description: "\"\(text)\" has no size: expected a number of bytes, or one with K, M or G, such as 512M")
      }
      memory = size
    case ("cpu", let content?):
      guard let seconds = Seconds(content), seconds.value <= 1e9 else {
        throw CapabilityMistake(
          description: "\"\(text)\" has no time: expected \(Seconds.form), and at most 1000000000 s")
      }
      cpuTime = seconds.duration
    default:
      let hint = Self.names.contains(name) ? "" : Suggestion.near(name, among: Self.names)
      throw CapabilityMistake(description: "\"\(text)\" is not a capability: expected \(Self.forms)\(hint)")
    }
  }

  /// Returns the rights of both. Where both have a limit, that of `other` applies.
  public func union(_ other: Capabilities) -> Capabilities {
    var union = self
    union.network = network || other.network
    union.processes = processes || other.processes
    union.reads += other.reads
    union.writes += other.writes
    union.environment += other.environment
    union.memory = other.memory ?? memory
    union.cpuTime = other.cpuTime ?? cpuTime
    union.isUnrestricted = isUnrestricted || other.isUnrestricted
    let resolved = [self, other].filter { !$0.reads.isEmpty || !$0.writes.isEmpty }.map(\.arePathsResolved)
    union.arePathsResolved = !resolved.isEmpty && resolved.allSatisfy(\.self)
    return union
  }

  /// Replaces the paths by those that symbolic links lead to, as `resolve` finds them, unless that was done before: the
  /// plugin may exchange links, and folders for links, in a folder that it may write to.
  package mutating func resolvePaths(_ resolve: (String) -> String?) {
    guard !arePathsResolved else { return }
    let target = { (path: String) in ConfinementWatch.isOwn(path) ? path : resolve(path) ?? path }
    (reads, writes) = (reads.map(target), writes.map(target))
    arePathsResolved = true
  }

  /// Checks that the files exist: a rule for a file that does not exist cannot be enforced.
  func check(_ plugin: String) throws(PluginError) {
    for (name, path) in reads.map({ ("read", $0) }) + writes.map({ ("write", $0) }) where access(path, F_OK) != 0 {
      throw PluginError(
        .notFound, plugin,
        "is given the capability \(name)=\(path), which does not exist: expected a file, or the folder of a new one"
      )
    }
  }

  /// The limit of memory in the form of `--allow`: `64M`.
  var memoryText: String? {
    memory.map { memory in
      let factor = Self.factors.first { memory % $0.size == 0 }
      return factor.map { "\(memory / $0.size)\($0.letter)" } ?? "\(memory)"
    }
  }

  /// The limit of processor time in whole seconds.
  package var cpuText: String? { cpuTime.map { "\(max(1, Int64(($0 / .seconds(1)).rounded(.up))))" } }

  private static func path(_ path: String, from folder: String?) -> String {
    path.isAbsolutePath || folder == nil ? path : "\(folder ?? "")/\(path)"
  }

  /// The units of memory, the largest first.
  private static let factors: [(letter: Character, size: UInt64)] = [("G", 1 << 30), ("M", 1 << 20), ("K", 1 << 10)]

  private static func size(_ text: String) -> UInt64? {
    let factor = factors.first { $0.letter == text.last }?.size
    guard let number = UInt64(factor == nil ? text[...] : text.dropLast()), number > 0 else { return nil }
    let (size, overflows) = number.multipliedReportingOverflow(by: factor ?? 1)
    return overflows ? nil : size
  }
}

/// The error of a text that is not a capability.
public struct CapabilityMistake: Error, Sendable, Equatable, CustomStringConvertible {
  /// The mistake, and the expected form.
  public let description: String
}
