import CPlatform

// In a child of fork() a queue keeps its events. Its descriptor is the parent's as well, so that one process would wake the
// other: it gets a new file, under the same number. Without one it has no descriptor until somebody asks anew.
extension CompletionQueue {
  static func resume(_ address: UnsafeMutableRawPointer) {
    unsafe Guarded<State>(address: address).locked { state in
      // None of the takers that slept is there.
      unsafe state.pointee.sleepers = 0
      guard unsafe state.pointee.descriptor >= 0 else { return }
      if unsafe !platform_event_renew(state.pointee.descriptor) {
        unsafe state.pointee.descriptor = -1
      } else if unsafe !state.pointee.line.isEmpty {
        unsafe platform_event_set(state.pointee.descriptor, true)
      }
    }
  }
}
