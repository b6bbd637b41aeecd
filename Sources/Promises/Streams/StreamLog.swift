import Synchronization

/// The kinds of events that a publisher or a subscriber logs.
public struct StreamLogLevel: OptionSet, Sendable {
  /// The bits of the kinds.
  public let rawValue: UInt8
  /// Creates a level from bits.
  public init(rawValue: UInt8) { self.rawValue = rawValue }

  /// The release of the object.
  public static let lifecycle = StreamLogLevel(rawValue: 1)
  /// States that are published or received, new subscribers and callbacks, cancelling.
  public static let publishing = StreamLogLevel(rawValue: 2)
  /// Operators that derive from the subscriber.
  public static let operators = StreamLogLevel(rawValue: 4)
  /// Everything.
  public static let all: StreamLogLevel = [.lifecycle, .publishing, .operators]
}

/// The log of one publisher or subscriber. While it is off, an event costs the load of a flag.
final class StreamLog: Sendable {
  private struct Settings: Sendable {
    let level: StreamLogLevel
    let message: String
    let write: @Sendable (String) -> Void
  }

  private let isOn = Atomic<Bool>(false)
  private let settings = Mutex<Settings?>(nil)

  /// Turns the log on; true for the first call.
  func enable(_ level: StreamLogLevel, _ message: String, _ write: @escaping @Sendable (String) -> Void) -> Bool {
    // The previous settings are released outside the lock, because they hold a closure of the user.
    var settings: Settings? = Settings(level: level, message: message, write: write)
    self.settings.withLock { swap(&$0, &settings) }
    return !isOn.exchange(true, ordering: .acquiringAndReleasing)
  }

  /// Logs an event, if the log is on for its kind.
  func note(_ kind: StreamLogLevel, _ event: @autoclosure () -> String) {
    guard isOn.load(ordering: .acquiring), let settings = settings.withLock({ $0 }), settings.level.contains(kind)
    else { return }
    settings.write(settings.message.isEmpty ? event() : "\(settings.message) - \(event())")
  }
}

extension Publisher {
  /// Logs the events of this publisher, one line each, with `message` in front.
  ///
  /// - Parameters:
  ///   - level: the kinds of events. Objects derived from this one log nothing.
  ///   - message: a text for the front of each line.
  ///   - write: writes a line. It is called on the threads of the events, with no lock held.
  /// - Returns: this publisher.
  @discardableResult
  public func enableLogging(
    _ level: StreamLogLevel = .all, _ message: String = "", _ write: @escaping @Sendable (String) -> Void
  ) -> Self {
    _ = log.enable(level, message, write)
    return self
  }
}

extension Subscriber {
  /// Logs the events of this subscriber, one line each. See ``Publisher/enableLogging(_:_:_:)``.
  ///
  /// - Returns: this subscriber.
  @discardableResult
  public func enableLogging(
    _ level: StreamLogLevel = .all, _ message: String = "", _ write: @escaping @Sendable (String) -> Void
  ) -> Subscriber {
    if log.enable(level, message, write) {
      subscribe(.all, on: .immediate) { [log] state in log.note(.publishing, "received \(state)") }
    }
    return self
  }
}
