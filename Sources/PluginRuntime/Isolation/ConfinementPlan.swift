import CPluginEdge
import Glibc

/// The rules that a worker process enforces on itself before it does anything else.
struct ConfinementPlan: Sendable {
  struct Rule: Sendable {
    let path: String
    let access: Int32

    /// Whether the path must lead over no symbolic link.
    var isDirect: Bool { access & Int32(PLUGIN_ACCESS_DIRECT) != 0 }
  }

  let capabilities: Capabilities
  let rules: [Rule]

  private static let read = Int32(PLUGIN_ACCESS_READ)
  private static let write = Int32(PLUGIN_ACCESS_WRITE)
  private static let execute = Int32(PLUGIN_ACCESS_EXECUTE)
  private static let direct = Int32(PLUGIN_ACCESS_DIRECT)

  /// Creates the plan for a plugin: its capabilities, and the files that every program and this plugin's libraries
  /// need. The worker's own program is among them: runtimes read it to show their stacks.
  init(_ capabilities: Capabilities, _ source: PluginSource, _ program: WorkerProgram) {
    self.capabilities = capabilities
    // The program may be given as /proc/self/exe, which means another file in each process.
    let own = (try? PluginFile.resolve(program.path)) ?? program.path
    var rules = Self.rulesOfSystem + Self.rules(reading: [own])
    // Links beside the plugin, installed with it or made by it, give it no right to their targets.
    let files = source.path.map { Self.files(of: $0, outside: rules.map(\.path)) } ?? []
    // A program may judge a file by its signature (LibraryAdmission).
    rules += files.flatMap { [$0, "\($0).sig"] }.map { Rule(path: $0, access: Self.read | Self.direct) }
    if capabilities.processes {
      rules.append(Rule(path: "/", access: Self.execute))
      // The kernel reads a program for the process that executes it.
      rules += Self.programs.map { Rule(path: $0, access: Self.read) }
    }
    rules += capabilities.reads.map { Rule(path: $0, access: Self.read | Self.direct(to: $0)) }
    rules += capabilities.writes.map { Rule(path: $0, access: Self.write | Self.direct(to: $0)) }
    self.rules = rules
  }

  /// Returns rules by which files can be read.
  static func rules(reading files: [String]) -> [Rule] { files.map { Rule(path: $0, access: read) } }

  /// The rules for files of the system.
  static var rulesOfSystem: [Rule] {
    rules(reading: common + LibraryFinder.foldersOfSystem)
      + ["/dev/null", "/dev/zero", "/dev/full"].map { Rule(path: $0, access: read | write) }
  }

  /// Returns the path of a plugin's file, and the paths of the libraries outside of some folders that it needs, with
  /// symbolic links resolved. Leaves out files of another kind, which a plugin may name as libraries.
  private static func files(of path: String, outside folders: [String]) -> [String] {
    let own = (try? PluginFile.resolve(path)) ?? path
    // If there are too many libraries, the worker has to read some of them to find that out.
    let libraries = LibraryDependencies.search(for: own, outside: folders).found.filter { $0 != path }
    return (own == path ? [own] : [])
      + libraries.compactMap { path in
        guard let file = try? PluginFile(opening: path), (try? ELFVerifier.verifyKind(file)) != nil else { return nil }
        return file.path
      }
  }

  /// The access to a path of a capability, which has no link any more, except that of /proc to the worker itself.
  private static func direct(to path: String) -> Int32 { ConfinementWatch.isOwn(path) ? 0 : direct }

  /// Files of the system that the C library and runtimes read: libraries, locales, time zones, facts of the machine.
  private static let common = [
    "/usr/lib", "/usr/lib64", "/lib", "/lib64", "/usr/local/lib", "/usr/share/zoneinfo", "/usr/share/locale",
    "/usr/share/i18n", "/etc/ld.so.cache", "/etc/ld.so.conf", "/etc/ld.so.conf.d", "/etc/ld.so.preload",
    "/etc/localtime", "/etc/locale.alias", "/dev/random", "/dev/urandom", "/proc/self", "/proc/cpuinfo",
    "/proc/meminfo", "/proc/stat", "/proc/filesystems", "/proc/sys/vm/overcommit_memory", "/sys/devices/system/cpu",
    "/sys/kernel/mm/transparent_hugepage",
  ]

  private static let programs = ["/bin", "/sbin", "/usr/bin", "/usr/sbin", "/usr/local/bin", "/usr/libexec"]

  // MARK: As a message

  /// The plan as a message for the worker.
  var bytes: [UInt8]? {
    guard !capabilities.isUnrestricted else { return try? CBOREncoder.encode(.void) }
    let seconds = capabilities.cpuTime.map { UInt64(max(1, ($0 / .seconds(1)).rounded(.up))) }
    return try? CBOREncoder.encode(
      .array([
        .bool(capabilities.network), .bool(capabilities.processes),
        .uint(capabilities.memory ?? 0), .uint(seconds ?? 0),
        .array(rules.map { .array([.string($0.path), .uint(UInt64($0.access))]) }),
      ]))
  }

  /// Reads a message; `nil` if the message is malformed, `.some(nil)` if nothing is to be enforced.
  static func read(_ bytes: ArraySlice<UInt8>) -> (limits: plugin_confinement_t, rules: [Rule])?? {
    guard let value = try? CBORDecoder.decode(bytes) else { return nil }
    guard value != .void else { return .some(nil) }
    guard case .array(let parts) = value, parts.count == 5, case .bool(let network) = parts[0],
      case .bool(let processes) = parts[1], case .uint(let memory) = parts[2], case .uint(let seconds) = parts[3],
      case .array(let elements) = parts[4]
    else { return nil }
    var rules: [Rule] = []
    for element in elements {
      guard case .array(let rule) = element, rule.count == 2, case .string(let path) = rule[0],
        case .uint(let access) = rule[1]
      else { return nil }
      rules.append(Rule(path: path, access: Int32(truncatingIfNeeded: access)))
    }
    let limits = plugin_confinement_t(network: network, processes: processes, memory: memory, cpu_time: seconds)
    return (limits, rules)
  }
}
