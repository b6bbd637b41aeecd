import CPluginEdge
import Glibc

/// The host's part of the confinement of one worker process: sends the plan, and notes refusals. Used by the thread
/// that serves the worker.
struct ConfinementWatch {
  /// A refusal, with the call that the thread was making, if it was making one.
  private struct Note {
    let refusal: CapabilityRefusal
    let request: UInt64?
    let time = ContinuousClock.now
  }

  private let plan: ConfinementPlan
  private let process: Int32
  private var control: Int32
  private var listener: Int32 = -1
  private var enforcesFiles = false
  /// The address, in the worker, of the table of the calls that its threads make.
  private var notedCalls: UInt64 = 0
  private var notes: [Note] = []
  /// The paths of the rules without symbolic links.
  private let granted: [ConfinementPlan.Rule]
  /// The errno for which the plan was not sent; 0: it was.
  let error: Int32
  /// The limits that the system does not enforce.
  private(set) var gaps: [String] = []

  /// The maximum number of refusals that are kept: of one call, and in total.
  private static let maximum = (call: 16, all: 4_096)

  /// Sends the plan, and the copy of the plugin's file, to a process that has just been started, and takes its control
  /// socket.
  init(_ plan: ConfinementPlan, _ process: plugin_process_t, _ file: KeptFile?) {
    self.plan = plan
    self.process = process.pid
    control = process.control
    granted = plan.rules.map { rule in
      let isExact = rule.isDirect || Self.isOwn(rule.path)
      let path = isExact ? rule.path : Self.resolve(rule.path) ?? rule.path
      return ConfinementPlan.Rule(path: path, access: rule.access)
    }
    let bytes = plan.bytes ?? []
    let socket = process.control
    error = bytes.withUnsafeBytes { buffer in
      buffer.baseAddress.map { plugin_confinement_send(socket, $0, buffer.count, file?.descriptor ?? -1) } ?? EINVAL
    }
  }

  /// The descriptor to be polled for reading; -1 for none.
  var descriptor: Int32 { listener >= 0 ? listener : control }

  /// Handles a report of the descriptor. Returns the limits that are not enforced, once the worker has reported them.
  mutating func handle(_ events: Int16) -> [String]? {
    guard events & Int16(POLLIN) != 0 else {
      // The process, and all that it started, have ended.
      close()
      return nil
    }
    guard listener < 0 else {
      handleAttempt()
      return nil
    }
    return receiveReport()
  }

  mutating func close() {
    for descriptor in [control, listener] where descriptor >= 0 { Glibc.close(descriptor) }
    (control, listener) = (-1, -1)
  }

  // MARK: Refusals

  /// Removes and returns the refusals of a call; for a rejected call, also those of threads that were making no call.
  mutating func take(_ request: UInt64, since began: ContinuousClock.Instant, isRejected: Bool) -> [CapabilityRefusal] {
    guard !notes.isEmpty else { return [] }
    let refusals = notes.filter { $0.request == request || isRejected && $0.request == nil && $0.time >= began }
    notes.removeAll { $0.request == request }
    return Self.unique(refusals)
  }

  /// Removes and returns the refusals of threads that were making no call.
  mutating func takeOutsideCalls(since began: ContinuousClock.Instant? = nil) -> [CapabilityRefusal] {
    let isTaken = { (note: Note) in note.request == nil && note.time >= began ?? note.time }
    defer { notes.removeAll(where: isTaken) }
    return Self.unique(notes.filter(isTaken))
  }

  /// All refusals that were not taken.
  var remaining: [CapabilityRefusal] { Self.unique(notes) }

  private static func unique(_ notes: [Note]) -> [CapabilityRefusal] {
    var seen: Set<CapabilityRefusal> = []
    return notes.map(\.refusal).filter { seen.insert($0).inserted }
  }

  private mutating func receiveReport() -> [String]? {
    var message = [UInt8](repeating: 0, count: 1 << 14)
    var descriptor: Int32 = -1
    let count = message.withUnsafeMutableBytes { buffer in
      buffer.baseAddress.map { plugin_confinement_receive(control, $0, buffer.count, &descriptor) } ?? 0
    }
    listener = descriptor
    guard count > 0 else {
      if count == 0 { close() }
      return nil
    }
    guard case .array(let parts)? = try? CBORDecoder.decode(message[..<count]), parts.count == 3,
      case .bool(let enforcesFiles) = parts[0], case .array(let gaps) = parts[1], case .uint(let address) = parts[2]
    else { return nil }
    self.enforcesFiles = enforcesFiles
    notedCalls = address
    self.gaps = gaps.compactMap { if case .string(let text) = $0 { text } else { nil } }
    return self.gaps
  }

  private mutating func handleAttempt() {
    var attempt = plugin_attempt_t()
    var path = [CChar](repeating: 0, count: 4_096)
    guard plugin_attempt_next(listener, &attempt, &path, path.count) else { return }
    let text = String(decoding: path.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
    if !plan.capabilities.writes.isEmpty { plugin_attempt_change(listener, &attempt) }
    // Noted before the thread continues, and so before the answer of its call arrives.
    if !attempt.is_made, let refusal = refusal(of: attempt, text) {
      keep(Note(refusal: refusal, request: request(ofThread: attempt.thread)))
    }
    plugin_attempt_end(listener, &attempt)
  }

  /// Records a refusal. The number for each call is limited, so that one call does not displace the refusals of all
  /// others.
  private mutating func keep(_ note: Note) {
    // A repeated refusal counts with its last time.
    notes.removeAll { $0.request == note.request && $0.refusal == note.refusal }
    let others = notes.indices.filter { notes[$0].request == note.request }
    if others.count >= Self.maximum.call, let oldest = others.first {
      notes.remove(at: oldest)
    } else if notes.count >= Self.maximum.all {
      notes.removeFirst()
    }
    notes.append(note)
  }

  private func refusal(of attempt: plugin_attempt_t, _ path: String) -> CapabilityRefusal? {
    let call = attempt.name.map { String(cString: $0) }
    let full = path.isEmpty ? nil : absolute(path, attempt)
    if attempt.capability == PLUGIN_CAPABILITY_MEMORY {
      guard attempt.is_refused || exceedsMemory(attempt) else { return nil }
      return CapabilityRefusal(capability: .memory, path: nil, call: call, limit: plan.capabilities.memoryText)
    }
    if attempt.is_refused {
      return CapabilityRefusal(capability: .init(attempt.capability), path: full, call: call)
    }
    guard enforcesFiles, let full else { return nil }
    let (path, own) = located(full, attempt.thread)
    // Opening a missing file fails with any rights, so no refusal is noted; creating one needs rights to its folder.
    let existing = Self.resolve(path).map { $0.isPath(in: own) ? Self.ownFolder + $0.dropFirst(own.count) : $0 }
    if attempt.writes, let target = existing ?? Self.resolveNew(path), !isGranted(target, PLUGIN_ACCESS_WRITE) {
      return CapabilityRefusal(capability: .write, path: target, call: call)
    }
    if attempt.reads, let target = existing, !isGranted(target, PLUGIN_ACCESS_READ) {
      return CapabilityRefusal(capability: .read, path: target, call: call)
    }
    return nil
  }

  private func isGranted(_ path: String, _ access: Int) -> Bool {
    granted.contains { $0.access & Int32(access) != 0 && path.isPath(in: $0.path) }
  }

  /// Returns the path by which this process reaches a path of the thread, and the thread's folder in /proc, which
  /// refusals print as /proc/self. The path of a descriptor leads to its file; a pipe or a socket has none.
  private func located(_ path: String, _ thread: Int32) -> (path: String, own: String) {
    let folder = "/proc/\(thread)"
    let names = [
      (Self.ownFolder, folder), ("/proc/thread-self", folder), ("/dev/fd", "\(folder)/fd"),
      ("/dev/stdin", "\(folder)/fd/0"), ("/dev/stdout", "\(folder)/fd/1"), ("/dev/stderr", "\(folder)/fd/2"),
    ]
    guard let (name, place) = names.first(where: { path.isPath(in: $0.0) }) else {
      return (path, "/proc/\(process)")
    }
    return (place + path.dropFirst(name.count), folder)
  }

  /// The folder in /proc of the process that opens the path.
  private static let ownFolder = "/proc/self"

  /// Whether a path is in /proc/self, and so leads to another file in each process.
  static func isOwn(_ path: String) -> Bool { path.isPath(in: ownFolder) }

  private func absolute(_ path: String, _ attempt: plugin_attempt_t) -> String {
    if path.isAbsolutePath { return path }
    let folder = attempt.folder == AT_FDCWD ? "cwd" : "fd/\(attempt.folder)"
    return Self.resolve("/proc/\(attempt.thread)/\(folder)").map { "\($0)/\(path)" } ?? path
  }

  private func exceedsMemory(_ attempt: plugin_attempt_t) -> Bool {
    guard let limit = plan.capabilities.memory,
      let status = Self.text(of: "/proc/\(attempt.thread)/status"),
      let line = status.split(separator: "\n").first(where: { $0.hasPrefix("VmData:") }),
      let kilobytes = line.split(whereSeparator: { !$0.isNumber }).first.flatMap({ UInt64($0) })
    else { return false }
    // The sum of the two may be more than 64 bits hold.
    return attempt.size > limit || kilobytes * 1024 > limit - attempt.size
  }

  /// Returns the request of the call that a thread makes, read from the worker's memory; `nil` if it makes none.
  private func request(ofThread thread: Int32) -> UInt64? {
    let request = plugin_confinement_noted_call(thread, notedCalls)
    return request == 0 ? nil : request
  }

  // MARK: Files

  private static func resolve(_ path: String) -> String? { try? PluginFile.resolve(path) }

  /// Returns the path of a file to be created in an existing folder; `nil` in /proc, where no files can be created, and
  /// a name that leads nowhere is that of a pipe.
  private static func resolveNew(_ path: String) -> String? {
    guard !path.isPath(in: "/proc"), let (parent, name) = path.cut(atLast: "/") else { return nil }
    return resolve(parent.isEmpty ? "/" : parent).map { folder in "\(folder == "/" ? "" : folder)/\(name)" }
  }

  private static func text(of path: String) -> String? {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return nil }
    defer { Glibc.close(descriptor) }
    var bytes = [UInt8](repeating: 0, count: 4_096)
    let count = read(descriptor, &bytes, bytes.count)
    return count > 0 ? String(decoding: bytes[..<count], as: UTF8.self) : nil
  }
}
