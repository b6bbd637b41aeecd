import CPluginEdge
import Glibc
import PluginRuntime

/// Reads the descriptions of plugins in child processes. No code of a plugin runs in this process.
///
/// Each child reads one file, so that no plugin can affect the description of another, or be blamed for its fault: a
/// plugin may write any report. A fork costs less than to verify and map a plugin.
///
/// Use it while the process has a single thread: a child is a fork of it.
struct PluginScanner {
  /// The time limit for each file.
  var timeout: Duration
  /// The check of the files before they are read.
  var trust: FileTrust

  init(timeout: Seconds?, trust: FileTrust) {
    self.timeout = timeout?.duration ?? .seconds(30)
    self.trust = trust
  }

  /// Reads the description of a plugin: of the file at `path`, or of the library that a YAML file there adopts.
  func description(of path: String) throws(Failure) -> PluginDescription {
    try scan([path])[0].get()
  }

  /// Reads the description of an adopted library.
  func description(of adoption: Adoption) throws(Failure) -> PluginDescription {
    try scan([.adoption(adoption)])[0].get()
  }

  /// Reads the descriptions of the plugins at `paths`, and returns them in the same order. A file that fails has no
  /// effect on the others.
  func scan(_ paths: [String]) -> [Result<PluginDescription, Failure>] {
    scan(
      paths.map { path in
        do throws(Failure) {
          try PluginFinder.checkText(path)
          try trust.check(library: path)
          return AdoptionFile.isNamed(path) ? .adoption(try AdoptionFile.read(path, trust: trust)) : .plugin(path)
        } catch {
          return .unreadable(error)
        }
      })
  }

  private func scan(_ targets: [ScanTarget]) -> [Result<PluginDescription, Failure>] {
    var results: [Result<PluginDescription, Failure>?] = Array(repeating: nil, count: targets.count)
    var waiting = targets.indices
    var running: [(index: Int, process: ScanProcess)?] = Array(repeating: nil, count: Self.processes)
    var left = targets.count
    ReaderConfinement.prepare()
    while left > 0 {
      for slot in running.indices where running[slot] == nil {
        guard let index = waiting.popFirst() else { break }
        do throws(Failure) {
          running[slot] = (index, try ScanProcess(targets[index], timeout: timeout))
        } catch {
          results[index] = .failure(error)
          left -= 1
        }
      }
      ScanProcess.wait(for: running.compactMap { $0?.process })
      for slot in running.indices {
        guard let (index, process) = running[slot], let result = process.advance() else { continue }
        results[index] = result
        left -= 1
        running[slot] = nil
      }
    }
    return results.compactMap(\.self)
  }

  /// The number of children at once: one for each processor, at most 8.
  private static var processes: Int { min(max(sysconf(Int32(_SC_NPROCESSORS_ONLN)), 1), 8) }
}

/// A file or a library whose description is read in a child process.
enum ScanTarget {
  case plugin(String)
  case adoption(Adoption)
  /// A file that is not trusted, or a YAML file with mistakes.
  case unreadable(Failure)

  /// The file, for messages.
  var subject: String {
    switch self {
    case .plugin(let path): path
    case .adoption(let adoption): adoption.file ?? adoption.library
    case .unreadable: "an adoption"
    }
  }

  /// Reads the description in this process, which runs code of the plugin and is confined before, or in a worker of it,
  /// if the rules of trust require that.
  func description(timeout: Duration) throws(Failure) -> PluginDescription {
    func workers(_ file: String) -> IsolationOptions? {
      guard Admission.isolates(file) else {
        // Another file may be at the path by the time that it is opened again.
        Admission.beginHosting()
        ReaderConfinement.request()
        return nil
      }
      var options = IsolationOptions.runningThisProgram(timeout: timeout)
      options.output = { _ in }
      return options
    }
    switch self {
    case .plugin(let path): return try PluginPlan.inspect(plugin: path, workers(path))
    case .adoption(let adoption): return try PluginPlan.inspect(adoption, workers(adoption.library))
    case .unreadable(let failure): throw failure
    }
  }

  /// Whether a description can be that of this target. A plugin may write any report, also one for another file.
  func admits(_ plugin: PluginDescription) -> Bool {
    switch self {
    case .plugin(let path):
      guard plugin.adoption == nil, let resolved = realpath(path, nil) else { return false }
      defer { free(resolved) }
      return plugin.path == String(cString: resolved)
    case .adoption(let adoption): return plugin.adoption == adoption
    case .unreadable: return false
    }
  }
}
