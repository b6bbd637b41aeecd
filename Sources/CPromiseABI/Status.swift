import CPlatform
import CPromise

@c @implementation
public func promise_last_status() -> promise_status_t {
  let thread = unsafe platform_thread()
  let status = unsafe thread.pointee.last_status
  unsafe thread.pointee.last_status = promise_status_t(PROMISE_OK)
  return status
}

@c @implementation
public func promise_status_name(_ status: promise_status_t) -> UnsafePointer<CChar> {
  let name: StaticString =
    switch Int(status) {
    case PROMISE_OK: "PROMISE_OK"
    case PROMISE_EINVAL: "PROMISE_EINVAL"
    case PROMISE_ESTALE: "PROMISE_ESTALE"
    case PROMISE_ESETTLED: "PROMISE_ESETTLED"
    case PROMISE_EPENDING: "PROMISE_EPENDING"
    case PROMISE_ETIMEDOUT: "PROMISE_ETIMEDOUT"
    case PROMISE_EDEADLK: "PROMISE_EDEADLK"
    case PROMISE_ENOMEM: "PROMISE_ENOMEM"
    case PROMISE_ECLOSED: "PROMISE_ECLOSED"
    case PROMISE_EFULL: "PROMISE_EFULL"
    case PROMISE_EFINISHED: "PROMISE_EFINISHED"
    case PROMISE_EINTR: "PROMISE_EINTR"
    case PROMISE_EBUSY: "PROMISE_EBUSY"
    default: "PROMISE_UNKNOWN"
    }
  return unsafe UnsafeRawPointer(name.utf8Start).assumingMemoryBound(to: CChar.self)
}
