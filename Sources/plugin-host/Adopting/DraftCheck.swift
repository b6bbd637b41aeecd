import Glibc
import PluginRuntime

/// Calls the functions of a draft with random arguments, each function in a process that is kept from doing harm.
struct DraftCheck {
  /// The result of the calls of one function.
  enum Finding: Equatable {
    /// The function wrote only to memory that was passed for writing, in `calls` calls. `contents` has the names of
    /// arguments as keys. `failures` states how many other calls crashed or did not return; nil if none did.
    case safe(calls: Int, contents: [String: Contents], failures: String? = nil)
    /// The function accessed memory that was not passed to it: the signature is wrong.
    case unsafe(String, isWrite: Bool)
    /// The function used an argument after the call that the argument was passed to.
    case kept(argument: String, isWrite: Bool)
    /// The calls were inconclusive, for this reason.
    case unknown(String)
  }

  /// The use of an argument's initial contents, found by calls with different contents.
  enum Contents: String {
    /// The function reads the contents.
    case read
    /// The contents have no effect; a call has written all of the memory, a part of it, or nothing.
    case whole, part, unwritten
  }

  /// The time limit for all processes that call one function. Each process also has a limit of its own.
  var timeout: Duration = .seconds(300)

  /// Returns the findings about the functions of a draft, by their names.
  ///
  /// An argument that a function uses after the call becomes a kept one, and the function is called again.
  func findings(
    of draft: inout AdoptionDraft, yaml: (AdoptionDraft) -> String
  ) throws(Failure) -> [String: Finding] {
    var findings: [String: Finding] = [:]
    var names = draft.functions.map(\.signature.name)
    while !names.isEmpty {
      let file = try TemporaryFile(yaml(draft))
      defer { file.remove() }
      for name in names { findings[name] = try finding(name, in: file.path) }
      names = draft.keep(findings)
    }
    draft.decideGuesses(by: &findings)
    return findings
  }

  private func finding(_ function: String, in file: String) throws(Failure) -> Finding {
    do {
      let result = try Command.run("/proc/self/exe", ["check-function", file, function], timeout: timeout)
      return Finding(String(decoding: result.output, as: UTF8.self), status: result.status)
    } catch {
      switch error {
      case .timedOut: return .unknown("it did not return")
      case .interrupted(let signal): TerminationSignals.die(by: signal)
      case .system(let error): throw Failure(.rejected, "cannot run a process for the check: \(error)")
      }
    }
  }
}

extension DraftCheck.Finding {
  /// Reads the report of a check: see `CallChecker` and `plugin_check.h`.
  init(_ report: String, status: Int32) {
    let line = report.split(separator: "\n").first.map(String.init) ?? ""
    let parts = line.split(separator: "\t", omittingEmptySubsequences: false).map(String.init)
    // The fault is in another function, which makes an object for this one or initializes the library.
    if parts.count > 3, !parts[3].isEmpty {
      let finding = DraftCheck.Finding(parts[..<3].joined(separator: "\t"), status: status)
      switch finding {
      case .unsafe(let reason, _), .unknown(let reason):
        self = .unknown("\(parts[3]), which is called first: \(reason)")
      case .kept(let argument, _):
        self = .unknown("\(parts[3]), which is called first: it uses '\(argument)' after the call")
      case .safe: self = finding
      }
      return
    }
    switch (parts.first ?? "", parts.dropFirst().first ?? "") {
    case ("checked", let count):
      let uses = (parts.count > 2 ? parts[2] : "").split(separator: ",").map { $0.split(separator: "=") }
      let contents = uses.compactMap { use in
        use.count == 2 ? DraftCheck.Contents(rawValue: String(use[1])).map { (String(use[0]), $0) } : nil
      }
      let failures = parts.count > 4 ? parts[4] : nil
      self = .safe(calls: Int(count) ?? 0, contents: Dictionary(contents) { first, _ in first }, failures: failures)
    case ("unmade", let reason): self = .unknown(reason)
    case ("overwritten", let name): self = .unsafe("it writes beside '\(name)'", isWrite: true)
    case (let fault, let place) where fault.hasPrefix("fault "):
      let access = fault.dropFirst("fault ".count)
      let name = parts.count > 2 ? parts[2] : ""
      if place == "after the call" {
        self = .kept(argument: name, isWrite: access != "reads")
        return
      }
      self = .unsafe(
        place.hasPrefix("though") ? "it \(access) '\(name)', \(place)" : "it \(access) \(place) '\(name)'",
        isWrite: access != "reads")
    case ("crash aborts", _): self = .unknown("it aborts with random arguments")
    case (let crash, let address) where crash.hasPrefix("crash "):
      // Other addresses differ from run to run.
      let place = address.count <= "0xFFF".count ? ", at the address \(address)" : ""
      self = .unknown("it crashes with random arguments\(place)")
    default: self = .unknown("its process ended with the status \(status)")
    }
  }
}

extension AdoptionDraft {
  /// Leaves out the functions that the calls have shown to be unsafe, and sets the directions of arguments that they
  /// have shown.
  mutating func apply(_ findings: [String: DraftCheck.Finding]) {
    revise { function in
      switch findings[function.signature.name] {
      case .unsafe(let reason, _): return "\(reason), as a call with random arguments shows"
      case .kept(let argument, let isWrite):
        return "it \(isWrite ? "writes" : "reads") '\(argument)' after the call, as a call with random arguments shows"
      // An argument of NULL may be why calls crashed.
      case .safe(let calls, let contents, failures: nil): return function.apply(contents, calls: calls)
      case .unknown(let reason):
        // Not the guess that it was drafted by.
        if !function.guesses.isEmpty { return reason }
        function.checks.append("no call has checked this signature: \(reason)")
        return nil
      case .safe, nil: return nil
      }
    }
  }
}
