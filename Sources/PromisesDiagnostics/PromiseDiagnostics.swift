public import Promises
import Synchronization

/// Reports of misuse that name promises and the places where they were created.
///
///     PromiseDiagnostics.start { print($0) }
///     // promise 0x2100018000007f "download" created at Client/main.swift:12: rejected, and nothing handled it: ...
///
/// Starting installs the process's `PromiseHooks` and observes `PromiseEvents`, which ends a recording of
/// `PromiseTrace`. While diagnostics are on, each creation of a promise walks the stack. While they are off, which is
/// how a process starts, nothing is recorded, and `named(_:file:line:)` is one test.
public enum PromiseDiagnostics {
  fileprivate static let isOn = Atomic<Bool>(false)

  private struct Session {
    let origins: Origins
    let observer: PromiseEvents.Observer?
    let hooks: PromiseHooks
  }

  /// The session, and the number of sessions before it.
  private static let current = Mutex<(session: Session?, number: UInt64)>((nil, 0))

  /// Starts diagnostics, and replaces those that were started before.
  ///
  /// - Parameters:
  ///   - frames: the number of calls to remember for each promise. 0 records only names.
  ///   - report: called on the thread of the misuse, with no lock held. It may call anything; misuse within it is not
  ///     reported.
  /// - Thread: any.
  public static func start(frames: Int = 32, report: @escaping @Sendable (PromiseReport) -> Void) {
    let origins = Origins()
    let observer =
      frames <= 0
      ? nil
      : PromiseEvents.observe { event in
        if event.kind == .created { origins.note(event.id, calls: frames) }
      }
    @Sendable func send(_ kind: PromiseReport.Kind, _ id: UInt64) {
      report(PromiseReport(kind: kind, id: id, origin: origins[id]))
    }
    let hooks = PromiseHooks(
      unhandledRejection: { send(.unhandledRejection(reason: text($1)), $0) },
      secondSettlement: { send(.secondSettlement($1, value: text($2)), $0) },
      droppedPending: { send(.droppedPending(callbacks: $1), $0) })
    replace(Session(origins: origins, observer: observer, hooks: hooks))
  }

  /// Stops diagnostics, and removes the process's hooks.
  ///
  /// - Thread: any.
  public static func stop() {
    guard isOn.load(ordering: .relaxed) else { return }
    replace(nil)
  }

  /// Returns the name and the place of creation of a promise; `nil` if neither was recorded, or if diagnostics are off.
  ///
  /// - Thread: any.
  public static func origin(of id: UInt64) -> PromiseOrigin? { current.withLock { $0.session?.origins }?[id] }

  /// Returns the lines of `PromiseDump.lines()`, each with the name and the place of creation of its promise.
  ///
  /// - Thread: any.
  public static func pending() -> [String] {
    PromiseDump.lines().map { line in
      guard line.hasPrefix("0x"), let end = line.firstIndex(of: " "),
        let id = UInt64(line[..<end].dropFirst(2), radix: 16), let origin = origin(of: id)
      else { return line }
      let text = "\(origin)"
      return text.isEmpty ? line : "\(line[..<end]) \(text)\(line[end...])"
    }
  }

  static func name(_ id: UInt64, _ name: String, _ place: PromiseOrigin.Place) {
    current.withLock { $0.session?.origins }?.name(id, name, place)
  }

  private static func replace(_ new: Session?) {
    // Stop and release the old observer outside the lock.
    let old = current.withLock { current in
      let old = current.session
      current = (new, current.number + 1)
      isOn.store(new != nil, ordering: .relaxed)
      return old
    }
    // Outside the lock too, because the release of the former hooks may run any code. The call that installs last finds
    // the number unchanged, so the hooks are those of the current session.
    var installed: UInt64
    repeat {
      let (session, number) = current.withLock { $0 }
      PromiseHooks.install(session?.hooks)
      installed = number
    } while current.withLock(\.number) != installed
    old?.observer?.stop()
  }

  private static func text(_ value: Any?) -> String { value.map { String(describing: $0) } ?? "nil" }
}

extension Future {
  /// Gives the future a name for reports and dumps. A no-op while diagnostics are off.
  ///
  /// - Returns: the future itself.
  /// - Thread: any.
  @discardableResult
  public func named(_ name: String, file: String = #fileID, line: Int = #line) -> Future {
    if PromiseDiagnostics.isOn.load(ordering: .relaxed) {
      PromiseDiagnostics.name(id, name, PromiseOrigin.Place(file: file, line: line, function: nil))
    }
    return self
  }
}

extension Promise {
  /// Gives the promise a name for reports and dumps. A no-op while diagnostics are off.
  ///
  /// - Returns: the promise itself.
  /// - Thread: any.
  @discardableResult
  public func named(_ name: String, file: String = #fileID, line: Int = #line) -> Promise {
    if PromiseDiagnostics.isOn.load(ordering: .relaxed) {
      PromiseDiagnostics.name(id, name, PromiseOrigin.Place(file: file, line: line, function: nil))
    }
    return self
  }
}
