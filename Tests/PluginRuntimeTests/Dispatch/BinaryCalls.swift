import CPromise
import PluginRuntime
import Testing

@Suite("Calls: binary arguments")
struct BinaryCalls {
  let host: Host

  init() throws {
    host = try .loading("whole")
    try host.load(try Fixture.plugin("promises"))
    try host.load(try Fixture.plugin("dispatch"))
  }

  @Test("values are passed, a value is returned, and defaults stand for trailing arguments")
  func invoke() throws {
    let add = try host.function("add", of: "test.whole")
    #expect(add.signature.name == "add")
    let arguments = [number(40), number(3)]
    var result = promise_value_t()
    #expect(add.invoke(arguments, count: 2, into: &result) == promise_state_t(PROMISE_FULFILLED))
    #expect(result.kind == promise_kind_t(PROMISE_KIND_I64))
    #expect(result.as.i64 == 43)
    #expect(add.invoke(arguments, count: 1, into: &result) == promise_state_t(PROMISE_FULFILLED))
    #expect(result.as.i64 == 42)
  }

  @Test("a mistake is an ERROR of domain promise")
  func mistakes() throws {
    let add = try host.function("add", of: "test.whole")
    var arguments = [number(1), number(1 << 40), number(3)]
    for (count, message) in [
      (0, "lacks the argument 'left'"), (2, "'right' is 1099511627776"), (3, "is given 3 arguments"),
    ] {
      var result = promise_value_t()
      #expect(add.invoke(&arguments, count: count, into: &result) == promise_state_t(PROMISE_REJECTED))
      #expect(result.kind == promise_kind_t(PROMISE_KIND_ERROR))
      #expect(promise_value_code(&result) == Int64(PROMISE_EINVAL))
      #expect(String(cString: promise_value_domain(&result)!) == "promise")
      #expect(String(cString: promise_value_data(&result, nil)!).contains(message))
      promise_value_release(&result)
    }
    var result = promise_value_t()
    #expect(add.invoke(nil, count: 2, into: &result) == promise_state_t(PROMISE_REJECTED))
    promise_value_release(&result)
  }

  @Test("bytes are refused as text, also where they are UTF-8")
  func bytesForText() throws {
    let sum = try host.function("sum_bytes_of", of: "test.dispatch")
    var argument = promise_value_t()
    var result = promise_value_t()
    #expect(promise_value_bytes(&argument, "ab", 2) == PROMISE_OK)
    #expect(sum.invoke(&argument, count: 1, into: &result) == promise_state_t(PROMISE_REJECTED))
    #expect(promise_value_data(&result, nil).map { String(cString: $0).contains("'text' is") } == true)
    promise_value_release(&argument)
    promise_value_release(&result)
    #expect(promise_value_string(&argument, "ab", 2) == PROMISE_OK)
    #expect(sum.invoke(&argument, count: 1, into: &result) == promise_state_t(PROMISE_FULFILLED))
    #expect(result.as.u64 == 97 + 98)
    promise_value_release(&argument)
  }

  @Test("a function that returns a promise passes its reference to the caller")
  func promise() throws {
    var result = promise_value_t()
    #expect(
      try host.function("none", of: "test.promises").invoke(nil, count: 0, into: &result)
        == promise_state_t(PROMISE_FULFILLED))
    #expect(result.kind == promise_kind_t(PROMISE_KIND_PROMISE))
    #expect(promise_state(OpaquePointer(result.as.ptr)) == promise_state_t(PROMISE_FULFILLED))
    promise_value_release(&result)
    #expect(throws: PluginError.self) { try host.function("nothing", of: "test.promises").signature.name }
  }

  private func number(_ number: Int64) -> promise_value_t {
    var value = promise_value_t()
    value.kind = promise_kind_t(PROMISE_KIND_I64)
    value.as.i64 = number
    return value
  }
}
