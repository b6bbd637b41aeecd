import Synchronization

/// The state of an object that a plugin's function made and the host owns: `own(f) ptr<Name>`.
///
///     live, with a number of uses --take()--> taken: a call that releases it
///        |                          <--giveBack()--/ (that call was not made)
///        \--claim()--> destroyed: its destructor is called, once
///
/// Only a live object without uses is taken or claimed. Thread-safe.
final class ObjectLife: Sendable {
  private enum Phase {
    case live(uses: Int)
    case taken(by: String)
    case destroyed
  }

  let pointer: PluginPointer
  let destructor: Destructor
  private let phase = Mutex(Phase.live(uses: 0))

  init(_ pointer: PluginPointer, _ destructor: Destructor) {
    self.pointer = pointer
    self.destructor = destructor
  }

  /// Frees memory of the host with the last reference to an object that was released or destroyed. An object that was
  /// neither, because the host ended meanwhile, may be in use.
  deinit {
    if destructor.freesMemory, !isLive { HostMemory.free(UnsafeMutableRawPointer(bitPattern: pointer.address)) }
  }

  /// Whether the object was neither released nor destroyed.
  var isLive: Bool { phase.withLock { if case .live = $0 { true } else { false } } }

  /// Counts a call that uses the object. The object is not released before `endUse()`.
  ///
  /// - Throws: `ArgumentMismatch` if the object was released before.
  func beginUse() throws(ArgumentMismatch) {
    let mismatch = phase.withLock { phase -> ArgumentMismatch? in
      guard case .live(let uses) = phase else { return Self.endedError(phase, pointer) }
      phase = .live(uses: uses + 1)
      return nil
    }
    if let mismatch { throw mismatch }
  }

  func endUse() {
    phase.withLock { if case .live(let uses) = $0 { $0 = .live(uses: uses - 1) } }
  }

  /// Takes the object for a call of `function`, which releases it.
  ///
  /// - Throws: `ArgumentMismatch` if the object was released before, or if another argument or call uses it.
  func take(for function: String) throws(ArgumentMismatch) {
    let mismatch = phase.withLock { phase -> ArgumentMismatch? in
      guard case .live(let uses) = phase else { return Self.endedError(phase, pointer) }
      guard uses == 0 else {
        return ArgumentMismatch(
          message: "is a \(pointer.name) that is in use, expected one that no other argument or call uses")
      }
      phase = .taken(by: function)
      return nil
    }
    if let mismatch { throw mismatch }
  }

  /// Makes a taken object live again, because the call that would have released it was not made.
  func giveBack() {
    phase.withLock { if case .taken = $0 { $0 = .live(uses: 0) } }
  }

  /// Claims the object for its destructor. True once, for a live object without uses.
  func claim() -> Bool {
    phase.withLock { phase in
      guard case .live(uses: 0) = phase else { return false }
      phase = .destroyed
      return true
    }
  }

  private static func endedError(_ phase: Phase, _ pointer: PluginPointer) -> ArgumentMismatch {
    let end = if case .taken(let function) = phase { "that '\(function)' has released" } else { "that is destroyed" }
    return ArgumentMismatch(message: "is a \(pointer.name) \(end), expected one that is live")
  }
}
