import Foundation
import Synchronization

/// The running programs. Each leads a process group, and has a mark in its environment: so the processes that its tests
/// leave behind are found, also those that lead groups of their own.
enum Programs {
  private static let running = Mutex<Set<Program>>([])

  /// The signals that end this program and the running ones.
  static let endingSignals = [SIGHUP, SIGINT, SIGTERM]

  struct Program: Hashable {
    private static let variable = "MUTATION_PROGRAM"
    private let id = UUID().uuidString

    /// The mark, for the program's environment.
    var mark: [String: String] { [Self.variable: id] }

    /// Starts the program by `spawn`, which returns its process.
    func start(_ spawn: () throws -> pid_t) throws -> pid_t {
      try Programs.running.withLock { running in
        let process = try spawn()
        running.insert(self)
        return process
      }
    }

    /// Kills the processes that the program left behind. Call after the program has ended.
    func finish() {
      Programs.running.withLock { running in
        kill()
        running.remove(self)
      }
    }

    /// Kills all processes of the program. A process that is forked meanwhile is found in the next pass.
    fileprivate func kill() {
      let mark = Data("\(Self.variable)=\(id)\0".utf8)
      var killed: Set<pid_t> = []
      while true {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
        let found = names.compactMap { pid_t($0) }.filter { process in
          let environment = FileManager.default.contents(atPath: "/proc/\(process)/environ")
          return environment?.range(of: mark) != nil && !killed.contains(process)
        }
        if found.isEmpty { return }
        for process in found { Foundation.kill(process, SIGKILL) }
        killed.formUnion(found)
      }
    }
  }

  /// At one of the signals, kills all programs, and then calls `end`; no program can start meanwhile.
  static func killAtSignals(
    _ signals: [Int32] = endingSignals,
    end: @escaping @Sendable (Int32) -> Void = { number in
      signal(number, SIG_DFL)
      kill(getpid(), number)
      pause()
    }
  ) -> [any DispatchSourceSignal] {
    signals.map { number in
      signal(number, SIG_IGN)
      let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
      source.setEventHandler {
        running.withLock { running in
          for program in running { program.kill() }
          end(number)
        }
      }
      source.resume()
      return source
    }
  }
}
