import CPromise
import Promises
import Testing

/// The number of runs of the payload's destructor.
nonisolated(unsafe) private var destroyed = 0

/// An object that C made, as Swift sees it: the promises of both are the same cells.
@Suite("Objects of another language, in Swift", .serialized)
struct ForeignObjects {
  /// Returns a promise made in C and fulfilled with an object.
  private func promise(of payload: UnsafeMutableRawPointer) -> OpaquePointer {
    destroyed = 0
    let type = promise_type_register("test.foreign", nil) { _ in destroyed += 1 }
    var value = promise_value_t()
    #expect(promise_value_object(&value, type, payload) == PROMISE_OK)
    let promise = promise_new()!
    #expect(promise_resolve(promise, &value) == PROMISE_OK)
    return promise
  }

  @Test("an object shows its type and its payload, and lives until its last reference is released")
  func lifetime() throws {
    let payload = UnsafeMutableRawPointer.allocate(byteCount: 8, alignment: 8)
    defer { payload.deallocate() }
    var object: ForeignObject?
    do {
      let promise = try #require(Promise<ForeignObject>(adopting: promise(of: payload)))
      promise.then { object = $0 }
    }
    #expect(object?.typeName == "test.foreign")
    #expect(object?.payload == payload)
    #expect(destroyed == 0)
    object = nil
    #expect(destroyed == 1)
  }

  @Test("a promise of any value has it too, and a promise of another type reports the type")
  func types() throws {
    let payload = UnsafeMutableRawPointer.allocate(byteCount: 8, alignment: 8)
    defer { payload.deallocate() }
    do {
      var any: Any?
      let handle = promise(of: payload)
      promise_retain(handle)
      try #require(Promise<Any>(adopting: handle)).then { any = $0 }
      #expect((any as? ForeignObject)?.payload == payload)
      var reason: Any?
      try #require(Promise<Int>(adopting: handle)).then { _ in }.rescue { reason = $0 }
      #expect((reason as? PromiseError)?.message.contains("test.foreign") == true)
    }
    #expect(destroyed == 1)
  }

  @Test("back in C it is the object that it was, as a value and as a reason")
  func roundTrip() throws {
    let payload = UnsafeMutableRawPointer.allocate(byteCount: 8, alignment: 8)
    defer { payload.deallocate() }
    do {
      var found: ForeignObject?
      try #require(Promise<ForeignObject>(adopting: promise(of: payload))).then { found = $0 }
      let object = try #require(found)
      for promise in [AnyPromise.fulfilled(object), Promise<Void>.reject(object)] {
        withExtendedLifetime(promise) {
          var value = promise_value_t()
          #expect(promise_result(promise.abi, &value) == PROMISE_OK)
          #expect(promise_value_is(&value, promise_type_named("test.foreign")))
          #expect(value.as.ptr == payload)
          promise_value_release(&value)
        }
      }
    }
    #expect(destroyed == 1)
  }
}

extension AnyPromise {
  fileprivate static func fulfilled(_ object: ForeignObject) -> AnyPromise {
    let promise: Promise<ForeignObject> = .resolve(object)
    return promise
  }
}
