import Glibc

/// Stays closed until it is opened, once and for ever. Waiting blocks the thread.
package final class Gate: @unchecked Sendable {
  private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
  private let condition = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)
  private var closures: Int

  /// A gate that is open after `count` calls of `open()`.
  package init(count: Int = 1) {
    closures = count
    pthread_mutex_init(mutex, nil)
    pthread_cond_init(condition, nil)
  }

  deinit {
    pthread_cond_destroy(condition)
    pthread_mutex_destroy(mutex)
    condition.deallocate()
    mutex.deallocate()
  }

  package func open() {
    pthread_mutex_lock(mutex)
    closures -= 1
    if closures <= 0 { pthread_cond_broadcast(condition) }
    pthread_mutex_unlock(mutex)
  }

  /// Blocks until the gate is open.
  package func wait() {
    pthread_mutex_lock(mutex)
    while closures > 0 { pthread_cond_wait(condition, mutex) }
    pthread_mutex_unlock(mutex)
  }

  /// Opens the gate once, and waits for the others to do so: as many threads as the count leave together.
  package func meet() {
    open()
    wait()
  }
}
