import Glibc
import PluginRuntime

/// Compares a plugin's signatures with its debug information.
struct DebugTypes {
  private let functions: DebugFunctions?
  /// The reason why the debug information cannot be read; `nil` if the file has none.
  private let note: String?

  init(of path: String, timeout: Duration) {
    var status = stat()
    guard stat(RawText.cString(path), &status) == 0, status.st_size <= DebugFunctions.longest else {
      (functions, note) = (nil, "not compared with debug information: the file is missing, or larger than 64 MiB")
      return
    }
    do throws(Command.Failure) {
      (functions, note) = (try DebugFunctions(of: path, timeout: timeout), nil)
    } catch {
      switch error {
      case .interrupted(let signal): TerminationSignals.die(by: signal)
      case .timedOut: (functions, note) = (nil, "not compared with debug information: readelf did not end in time")
      case .system(let error): (functions, note) = (nil, "not compared with debug information: readelf: \(error)")
      }
    }
  }

  /// Whether there is anything to report.
  var isWorthwhile: Bool { note != nil || functions?.shapes.isEmpty == false }

  /// Compares the functions of a host's plugin, and reports findings. Call in the child process of the check.
  func compare(_ plugin: PluginDescription, in host: Host) {
    if let note { CheckProcess.write(.note, note) }
    guard let functions else { return }
    for description in plugin.functions {
      guard let function = try? host.function(description.name, of: plugin.id), let expected = function.shape,
        let address = function.fileAddress, let found = functions.shapes[address]
      else { continue }
      for text in expected.differences(from: found) {
        CheckProcess.write(.finding, "\(description.signature): \(text)")
      }
    }
  }
}

extension CFunctionShape {
  /// Returns the differences from the compiled function, as sentences.
  fileprivate func differences(from found: CFunctionShape) -> [String] {
    var texts: [String] = []
    let (count, real) = (parameters.count, found.parameters.count)
    if count < real || count > real && !found.isVariadic {
      texts.append("calls pass \(count) arguments of C, but the function has \(real) parameters")
    } else {
      for (index, (passed, taken)) in zip(parameters, found.parameters).enumerated() {
        guard let passed, let taken, passed != taken else { continue }
        texts.append("parameter \(index + 1) of C is \(taken), but calls pass \(passed)")
      }
    }
    // An unread result is harmless.
    if let result, let real = found.result, result.kind != .void, result != real {
      texts.append("the function returns \(real), but calls expect \(result)")
    }
    return texts
  }
}
