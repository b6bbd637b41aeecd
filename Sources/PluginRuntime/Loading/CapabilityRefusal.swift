import CPluginEdge

/// A right that a worker process asked for and does not have, or a limit that it exceeded.
public struct CapabilityRefusal: Sendable, Hashable {
  /// The kinds of rights.
  public enum Capability: String, Sendable {
    case network, read, write, processes, memory, cpu
    /// Tracing, mounting, namespaces, clocks: never granted.
    case system
  }

  /// The right.
  public let capability: Capability
  /// The file, for `read` and `write`, if it is known.
  public let path: String?
  /// The system call that asked for it; `nil` for `cpu`.
  public let call: String?
  /// The limit that the process has and exceeded, in the form of `--allow`: `64M` for `memory`, `2` for `cpu`.
  public internal(set) var limit: String?
}

extension CapabilityRefusal: CustomStringConvertible {
  /// The capability in the form of `--allow`, and the system call.
  public var description: String {
    let name = (path ?? limit).map { "\(capability.rawValue)=\($0)" } ?? capability.rawValue
    return call.map { "\(name) (\($0))" } ?? name
  }
}

extension CapabilityRefusal {
  /// Whether only `all` grants the right: changes of the system; modes, owners, times and attributes of files, for
  /// which no capability can be enforced, except the mode of an open file.
  fileprivate var isOfAllAlone: Bool {
    guard capability == .write || capability == .read, let call else { return capability == .system }
    return ["chmod", "chown", "utim", "xattr", "ioctl"].contains { call.contains($0) } && !isOfMode
  }

  /// Whether the call changes the mode of an open file.
  fileprivate var isOfMode: Bool { call == "fchmod" }
}

extension CapabilityRefusal.Capability {
  init(_ number: Int32) {
    let all: [Int: Self] = [
      PLUGIN_CAPABILITY_NETWORK: .network, PLUGIN_CAPABILITY_READ: .read, PLUGIN_CAPABILITY_WRITE: .write,
      PLUGIN_CAPABILITY_PROCESSES: .processes, PLUGIN_CAPABILITY_MEMORY: .memory,
    ]
    self = all[Int(number)] ?? .system
  }
}

extension [CapabilityRefusal] {
  /// The refusals as part of a sentence.
  var sentence: String {
    let list = { (refusals: [CapabilityRefusal]) in refusals.map { "'\($0)'" }.joined(separator: ", ") }
    let limits = filter { $0.limit != nil }
    let never = filter { $0.limit == nil && $0.isOfAllAlone }
    let modes = filter { $0.isOfMode }
    let rights = filter { $0.limit == nil && !$0.isOfAllAlone && !$0.isOfMode }
    let parts = [
      rights.isEmpty ? nil : "was refused \(list(rights)), which is not among its capabilities",
      modes.isEmpty
        ? nil : "was refused \(list(modes)), which needs that capability and an own file that is open for writing",
      never.isEmpty ? nil : "was refused \(list(never)), which only the capability 'all' allows",
      limits.isEmpty ? nil : "exceeded \(list(limits)), a limit of its capabilities",
    ]
    return parts.compactMap(\.self).joined(separator: "; it ")
  }

  /// Returns the error of a call, or of loading, that ended with these refusals.
  func error(_ subject: String, _ reason: String?) -> PluginError {
    PluginError(.notAllowed(self), subject, sentence + (reason.map { "; it rejected with: \($0)" } ?? ""))
  }
}
