import Glibc
import PluginRuntime
import Synchronization

/// Decides by the rules of trust and the quarantine which files this process may map. The rules are read once, before a
/// worker confines itself. A host, which may run for days, reads the quarantine before each file.
struct Admission: Sendable {
  private let files: [TrustFile]
  /// The quarantine as it was when the rules were read: a worker cannot read it later.
  private let quarantined: Quarantined
  /// The level on the command line.
  private var level = TrustLevel.any
  /// Whether plugins run in this process without confinement: in a host, or a child of it.
  private var isHost = false

  private static let current = Mutex<Admission?>(nil)

  /// The option by which a worker gets the level of its host.
  private static let workerOption = "--trust="
  /// The option of a worker whose host accepts unsafe files by the environment, which the worker does not have.
  private static let acceptingOption = "--accept-unsafe-files"

  private init(_ files: [TrustFile], _ quarantine: Quarantine?) {
    self.files = files
    quarantined = Quarantined(quarantine)
  }

  /// Reads the rules, and enforces them in this process. `trust` checks their files.
  static func begin(trust: FileTrust = FileTrust()) throws(Failure) {
    var files: [TrustFile] = []
    for path in [TrustFile.ofSystem, TrustFile.ofUser] {
      if let path { files.append(try TrustFile(path: path, trust: trust)) }
    }
    let admission = Admission(files, Quarantine.ofUser)
    current.withLock { $0 = admission }
    LibraryAdmission.install { path, descriptor in Self.current.withLock { $0 }?.refusal(path, descriptor) }
  }

  /// Sets a stricter level. Returns the mistake if it is less strict than that of a file.
  static func tighten(to level: TrustLevel) -> String? {
    current.withLock { admission in
      guard let strictest = admission?.files.max(by: { $0.policy < $1.policy }), strictest.policy > level else {
        let known = admission?.level ?? .any
        admission?.level = max(level, known)
        return nil
      }
      return "\(strictest.path) asks for \(strictest.policy.rawValue); it can be made stricter, not looser"
    }
  }

  /// Declares that plugins run in this process without confinement.
  static func beginHosting() { current.withLock { $0?.isHost = true } }

  /// The arguments of a worker with the same rules.
  static var workerArguments: [String] {
    [WorkerProgram.workerArgument] + (current.withLock { $0 }.map { ["\(workerOption)\($0.level.rawValue)"] } ?? [])
      + (FileTrust().acceptsUnsafeFiles ? [acceptingOption] : [])
  }

  /// Enforces the rules of the host in a worker with these arguments.
  static func beginWorker(_ arguments: [String]) throws(Failure) {
    var trust = FileTrust()
    trust.acceptsUnsafeFiles = trust.acceptsUnsafeFiles || arguments.contains(acceptingOption)
    try begin(trust: trust)
    for argument in arguments where argument.hasPrefix(workerOption) {
      if let level = TrustLevel(rawValue: String(argument.dropFirst(workerOption.count))) { _ = tighten(to: level) }
    }
  }

  /// Whether a plugin has to run in a worker process, because it, or a library that it needs, is neither listed nor
  /// signed.
  static func isolates(_ path: String) -> Bool {
    guard let admission = current.withLock({ $0 }) else { return false }
    return !satisfies(admission.requirements.filter(\.isolatesUntrusted), path)
  }

  /// Returns the place of a plugin or an adopted library for which nobody has chosen one, and whether its worker has
  /// all rights of the user.
  static func defaultPlace(of path: String) -> (place: PluginIsolation, isUnconfined: Bool) {
    // Without `begin`, the program is not its own worker.
    guard let admission = current.withLock({ $0 }) else { return (.inProcess, false) }
    if isolates(path) { return (.process, false) }
    let isHere = admission.files.contains { $0.untrusted == .inProcess } || admission.trusts(path)
    return isHere ? (.inProcess, false) : (.process, true)
  }

  /// Whether a library, and each that it needs except those of the system, is listed or signed.
  private func trusts(_ path: String) -> Bool {
    // As a rule there is nothing to search the libraries for.
    guard files.contains(where: { !$0.hashes.isEmpty || !$0.keys.isEmpty }) else { return false }
    return Self.satisfies(Array(requirements.suffix(1)), path)
  }

  /// Whether the files that are judged for a library are listed or signed in those of each requirement.
  private static func satisfies(_ requirements: [Requirement], _ path: String) -> Bool {
    if requirements.isEmpty { return true }
    guard let files = try? LibraryAdmission.files(judgedFor: path) else { return false }
    return files.allSatisfy { file in
      guard let descriptor = try? FileBytes.openRegular(path: file) else { return false }
      defer { close(descriptor) }
      return requirements.allSatisfy { Judgement($0, file, descriptor) != .unknown }
    }
  }

  // MARK: The decision

  fileprivate struct Requirement {
    /// The origin of the requirement, for messages.
    let name: String
    let level: TrustLevel
    let isolatesUntrusted: Bool
    /// The files whose entries can satisfy the requirement.
    let files: [TrustFile]
  }

  /// The rules that have to be satisfied. Only the system's own entries satisfy the system's rules.
  private var requirements: [Requirement] {
    let ofFiles = files.map { file in
      Requirement(
        name: "\(file.path) (policy \(file.policy.rawValue))", level: file.policy,
        isolatesUntrusted: file.untrusted == .process, files: file.path == TrustFile.ofSystem ? [file] : files)
    }
    // The last one is satisfied by the entries of all files.
    return ofFiles
      + [Requirement(name: "--trust \(level.rawValue)", level: level, isolatesUntrusted: false, files: files)]
  }

  private func refusal(_ path: String, _ descriptor: Int32) -> LibraryAdmission.Refusal? {
    let quarantined = isHost ? Quarantined(.ofUser) : quarantined
    if let reason = quarantined.refusal(descriptor) { return .quarantined(reason) }
    for requirement in requirements where requirement.level != .any || isHost && requirement.isolatesUntrusted {
      let judgement = Judgement(requirement, path, descriptor)
      if judgement < requirement.level { return .notTrusted(Self.message(requirement)) }
      if judgement == .unknown, isHost, requirement.isolatesUntrusted {
        return .notTrusted("is not trusted, and \(requirement.name) lets it run in a worker process alone")
      }
    }
    return nil
  }

  private static func message(_ requirement: Requirement) -> String {
    let expected =
      requirement.level == .signed ? "a signature of a listed publisher beside it" : "a listed hash or a signature"
    return "is not trusted: \(requirement.name) asks for \(expected); see `plugin-host trust --help`"
  }
}

/// The files that are in quarantine at a time.
private struct Quarantined {
  private var entries: [Quarantine.Entry] = []
  /// The reason why the quarantine cannot be read. No plugin is loaded then: it may be there.
  private var problem: String?

  init(_ store: Quarantine?) {
    do throws(SystemError) {
      entries = try store?.entries() ?? []
    } catch {
      problem = store?.problem(error)
    }
  }

  /// Returns the reason why a file is not loaded; `nil` if it is not in quarantine.
  func refusal(_ descriptor: Int32) -> String? {
    if let problem { return "is not loaded: \(problem)" }
    if entries.isEmpty { return nil }
    guard let hash = try? ContentHash(of: descriptor) else { return "cannot be read" }
    return entries.first { $0.hash == hash }?.refusal
  }
}

/// The strictest level that a file satisfies.
private enum Judgement {
  case unknown, listed, signed

  init(_ requirement: Admission.Requirement, _ path: String, _ descriptor: Int32) {
    let (hashes, keys) = (requirement.files.flatMap(\.hashes), requirement.files.flatMap(\.keys))
    if !keys.isEmpty, let signature = Self.signature(path), let content = Self.content(descriptor),
      keys.contains(where: { $0.key.verifies(signature, of: content) })
    {
      self = .signed
    } else if !hashes.isEmpty, let hash = try? ContentHash(of: descriptor), hashes.contains(where: { $0.hash == hash })
    {
      self = .listed
    } else {
      self = .unknown
    }
  }

  /// Reads the detached signature beside a file.
  private static func signature(_ path: String) -> [UInt8]? {
    guard let bytes = try? FileBytes.readRegular(path: "\(path).sig", limit: 64), bytes.count == 64 else { return nil }
    return bytes
  }

  private static func content(_ descriptor: Int32) -> [UInt8]? {
    try? FileBytes.readRegular(path: "/proc/self/fd/\(descriptor)", limit: FileBytes.longest)
  }

  static func < (judgement: Judgement, level: TrustLevel) -> Bool {
    switch level {
    case .any: false
    case .listed: judgement == .unknown
    case .signed: judgement != .signed
    }
  }
}
