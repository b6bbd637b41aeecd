import CPromise

@c @implementation
public func promise_abi_version() -> UInt32 { UInt32(PROMISE_ABI_VERSION) }
