import CPlatform

/// Callbacks for cancel requests that ask further futures, in the order of the requests.
///
/// In a context that runs inline, the request that follows a callback would run the next callback within the first one:
/// a long chain would take the stack. So callbacks that become due within a request that a callback makes are
/// dispatched when that callback has returned, each to its own context.
enum RequestTurns {
  private typealias Turns = [() -> Void]

  /// Runs `dispatch`, then the dispatches that became due meanwhile. If a call of this function is running on this
  /// thread, leaves `dispatch` to it.
  static func run(_ dispatch: @escaping () -> Void) {
    let thread = unsafe platform_thread()
    if let turns = unsafe thread.pointee.requests {
      return unsafe turns.assumingMemoryBound(to: Turns.self).pointee.append(dispatch)
    }
    var turns: Turns = [dispatch]
    unsafe withUnsafeMutablePointer(to: &turns) { turns in
      unsafe thread.pointee.requests = UnsafeMutableRawPointer(turns)
      while unsafe !turns.pointee.isEmpty {
        let due = unsafe turns.pointee
        unsafe turns.pointee = []
        for dispatch in due { dispatch() }
      }
      unsafe thread.pointee.requests = nil
    }
  }
}
