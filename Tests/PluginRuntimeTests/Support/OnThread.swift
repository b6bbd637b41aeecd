import Glibc

/// Runs a function on a POSIX thread of its own, as libraries have them, and returns its result once the thread has
/// ended.
func onThread<Result: Sendable>(_ body: @escaping @Sendable () -> Result) async -> Result {
  await withCheckedContinuation { continuation in
    let start = Unmanaged.passRetained(Start { continuation.resume(returning: body()) })
    var thread = pthread_t()
    let status = pthread_create(
      &thread, nil,
      { context in
        Unmanaged<Start>.fromOpaque(context!).takeRetainedValue().run()
        return nil
      }, start.toOpaque())
    precondition(status == 0)
    pthread_detach(thread)
  }
}

private final class Start: Sendable {
  let run: @Sendable () -> Void
  init(_ run: @escaping @Sendable () -> Void) { self.run = run }
}
