/// The context of a callback: records the call and the release in the trial.
final class Probe {
  enum Role {
    case discards
    /// A callback of the promise that settles no other promise.
    case observes
    /// A handler that settles a derived promise with its value plus 100.
    case derives
    /// A callback of such a derived promise.
    case observesDerived
  }

  let number: Int
  let role: Role
  /// The thread that attached it.
  let thread: Int
  weak var trial: Trial?

  init(_ number: Int, _ role: Role, _ thread: Int) {
    self.number = number
    self.role = role
    self.thread = thread
  }

  static func at(_ context: UnsafeMutableRawPointer?) -> Probe {
    unsafe Unmanaged<Probe>.fromOpaque(context!).takeUnretainedValue()
  }

  static func release(_ context: UnsafeMutableRawPointer?) {
    let probe = unsafe Unmanaged<Probe>.fromOpaque(context!).takeRetainedValue()
    probe.trial!.record(.released(probe: probe.number))
  }

  static func discard(_ context: UnsafeMutableRawPointer?) {
    let trial = at(context).trial!
    trial.record(.discardBlock(isRejected: trial.promise.state.isRejected))
  }

  static func call(_ context: UnsafeMutableRawPointer?, _ value: UnsafeRawPointer, _ isRejected: Bool) {
    let probe = at(context)
    let bits = bits(unsafe value.load(as: CellValue.self))
    probe.trial!.record(
      .called(probe: probe.number, thread: Scheduler.current, value: bits, isRejected: isRejected))
  }

  static func handle(
    _ context: UnsafeMutableRawPointer?, _ value: UnsafeRawPointer, _ out: UnsafeMutableRawPointer
  ) -> Int32 {
    unsafe call(context, value, false)
    let bits = bits(unsafe value.load(as: CellValue.self))
    unsafe out.storeBytes(of: CellValue(kind: .u64, bits: bits + 100), as: CellValue.self)
    return Verdict.fulfill.rawValue
  }

  static func bits(_ value: CellValue) -> UInt64 {
    value.kind == ValueKind.discarded.rawValue ? Trial.discarded : value.bits
  }
}
