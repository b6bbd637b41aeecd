import CPromise
import Promises

// Reasons on their way between the languages. The promises of both sides are the same cells, so what a reason is on the
// other side is asked of a promise that is rejected with it.

extension promise_value_t {
  /// An ERROR of domain "promise", or whose domain is the type of an exception; a reference of the caller's. VOID for
  /// want of memory.
  init(_ error: PluginError) {
    self.init()
    let (domain, code) =
      switch error.kind {
      case .closed: ("promise", PROMISE_ECLOSED)
      case .exception(let type, _): (type ?? "exception", 0)
      default: ("promise", PROMISE_EINVAL)
      }
    // Without memory it is left VOID, which is a reason as well.
    promise_value_error(&self, domain, Int64(code), error.description.filter { $0 != "\0" })
  }

  /// What a reason of Swift's is in C, as a reference of the caller's.
  init(reason: Any?) {
    if let error = reason as? PluginError {
      self.init(error)
    } else {
      self.init()
      // The handle is borrowed: it is good only as long as the promise lives.
      let promise = Promise<Void>.reject(reason)
      withExtendedLifetime(promise) { _ = promise_result(promise.abi, &self) }
    }
  }

  /// What a reason of C's is in Swift: a `PromiseError` for an ERROR, `Discarded` for a DISCARDED, `nil` for VOID.
  var reason: Any? {
    var copy = self
    guard let handle = promise_new(), promise_value_retain(&copy) == PROMISE_OK else { return nil }
    promise_reject(handle, &copy)
    return Promise<Any>(adopting: handle)?.rejectReason
  }
}
