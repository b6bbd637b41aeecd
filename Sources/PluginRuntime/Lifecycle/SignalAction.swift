import Glibc

/// The disposition of a signal: the default, ignored, or a handler.
package struct SignalAction: Equatable, Sendable {
  private let handler: (@convention(c) (Int32) -> Void)?
  /// The handler as a number; 0 and 1 are SIG_DFL and SIG_IGN, casts that Swift does not import.
  private let address: Int
  private let flags: Int32

  package static let standard = SignalAction(address: 0)
  package static let ignored = SignalAction(address: 1)

  /// Creates a handler. System calls that it interrupts are restarted.
  ///
  /// - Parameter isOnce: whether the first signal restores the default.
  package init(_ handler: @escaping @convention(c) (Int32) -> Void, isOnce: Bool = false) {
    self.handler = handler
    address = unsafeBitCast(handler, to: Int.self)
    flags = SA_RESTART | (isOnce ? Int32(bitPattern: UInt32(SA_RESETHAND)) : 0)
  }

  /// Reads the current disposition of the signal.
  package init(of signal: Int32) {
    var current = sigaction()
    sigaction(signal, nil, &current)
    self.init(address: unsafeBitCast(current.__sigaction_handler.sa_handler, to: Int.self))
  }

  private init(address: Int) {
    handler = unsafeBitCast(address, to: (@convention(c) (Int32) -> Void)?.self)
    self.address = address
    flags = 0
  }

  package func install(for signal: Int32) {
    var action = sigaction()
    action.__sigaction_handler.sa_handler = handler
    action.sa_flags = flags
    sigaction(signal, &action, nil)
  }

  /// Makes writes fail that would end the process by a signal: to a pipe without a reader, or beyond the limit of a
  /// file's size. Programs that plugins start keep the action that this process was started with.
  package static func catchWriteSignals() {
    for signal in [SIGPIPE, SIGXFSZ] where SignalAction(of: signal) == .standard {
      SignalAction { _ in }.install(for: signal)
    }
  }

  package static func == (left: SignalAction, right: SignalAction) -> Bool { left.address == right.address }
}
