import Glibc

/// A queue between threads; receiving blocks until there is something.
package final class Channel<Element>: @unchecked Sendable {
  private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
  private let condition = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)
  private var elements: [Element] = []

  package init() {
    pthread_mutex_init(mutex, nil)
    pthread_cond_init(condition, nil)
  }

  deinit {
    pthread_cond_destroy(condition)
    pthread_mutex_destroy(mutex)
    condition.deallocate()
    mutex.deallocate()
  }

  package func send(_ element: consuming sending Element) {
    pthread_mutex_lock(mutex)
    elements.append(element)
    pthread_cond_signal(condition)
    pthread_mutex_unlock(mutex)
  }

  package func receive() -> Element {
    pthread_mutex_lock(mutex)
    defer { pthread_mutex_unlock(mutex) }
    while elements.isEmpty { pthread_cond_wait(condition, mutex) }
    return elements.removeFirst()
  }
}
