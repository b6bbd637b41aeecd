import Dispatch

/// A queue that runs nothing until it is resumed.
struct Queue {
  let dispatch = DispatchQueue(label: "test", attributes: .initiallyInactive)

  func resume() { dispatch.activate() }
}
