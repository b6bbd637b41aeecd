import CPromise

@c @implementation
public func promise_version() -> UnsafePointer<CChar> {
  let version: StaticString = "1.0.0"
  return unsafe UnsafeRawPointer(version.utf8Start).assumingMemoryBound(to: CChar.self)
}

@c @implementation
public func promise_abi_version() -> UInt32 { UInt32(PROMISE_ABI_VERSION) }
