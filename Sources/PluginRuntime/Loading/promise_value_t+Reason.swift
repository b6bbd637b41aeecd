import CPromise
import Promises

// Conversion of reasons between the languages. Promises of both sides are the same cells, so a reason is converted by
// rejecting a promise with it on one side and reading the reason on the other.

extension promise_value_t {
  /// Converts to an ERROR whose domain is "promise", or the exception's type. The caller owns the reference. VOID if
  /// memory has run out.
  init(_ error: PluginError) {
    self.init()
    let (domain, code) =
      switch error.kind {
      case .closed: ("promise", PROMISE_ECLOSED)
      case .exception(let type, _): (type ?? "exception", 0)
      default: ("promise", PROMISE_EINVAL)
      }
    // On failure the value is VOID, which is also a reason.
    promise_value_error(&self, domain, Int64(code), error.description.filter { $0 != "\0" })
  }

  /// Converts a Swift reason to C. The caller owns the reference.
  init(reason: Any?) {
    if let error = reason as? PluginError {
      self.init(error)
    } else {
      self.init()
      // The handle is borrowed: valid only as long as the promise lives.
      let promise = Promise<Void>.reject(reason)
      withExtendedLifetime(promise) { _ = promise_result(promise.abi, &self) }
    }
  }

  /// Converts a reason of C to Swift: an ERROR to a `PromiseError`, a DISCARDED to `Discarded`, VOID to `nil`.
  var reason: Any? {
    var copy = self
    guard promise_value_retain(&copy) == PROMISE_OK else { return nil }
    guard let handle = promise_new() else {
      promise_value_release(&copy)
      return nil
    }
    promise_reject(handle, &copy)
    return Promise<Any>(adopting: handle)?.rejectReason
  }

  /// The reason in place of a value that cannot be retained. The caller owns the reference; VOID if memory has run out.
  static var tooManyReferences: promise_value_t {
    var reason = promise_value_t()
    promise_value_error(&reason, "promise", Int64(PROMISE_ENOMEM), "the value has too many references")
    return reason
  }
}
