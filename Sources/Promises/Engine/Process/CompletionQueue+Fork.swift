import CPlatform

// In a child of fork() a queue keeps its events. The open file behind its descriptor is shared with the parent, so each
// process would wake the other. The child replaces the file under the same number; if that fails, the queue has no
// descriptor until one is requested again.
extension CompletionQueue {
  static func resume(_ address: UnsafeMutableRawPointer) {
    unsafe Guarded<State>(address: address).locked { state in
      // The takers that slept do not exist in the child.
      unsafe state.pointee.sleepers = 0
      guard unsafe state.pointee.descriptor >= 0 else { return }
      if unsafe !platform_event_renew(state.pointee.descriptor) {
        unsafe state.pointee.descriptor = -1
      } else if unsafe !state.pointee.ready.isEmpty {
        unsafe platform_event_set(state.pointee.descriptor, true)
      }
    }
  }
}
