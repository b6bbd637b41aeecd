import CPromise
import Glibc
import PluginRuntime
import Testing

@testable import PluginRuntime

/// Values that a caller in C can make, and Swift never does.
@Suite("Calls: binary arguments that only C makes")
struct BinaryEdges {
  let host: Host

  init() throws {
    host = try .loading("dispatch")
    for fixture in ["types", "promises", "callbacks"] { try host.load(try Fixture.plugin(fixture)) }
  }

  @Test("only the first byte of a bool counts")
  func boolean() throws {
    let result = try invoke("b", of: "test.types", [value(PROMISE_KIND_BOOL) { $0.u64 = 0xFF00 }])
    #expect(result.state == PROMISE_FULFILLED && result.value.as.b == 0)
  }

  @Test("a promise that was released, a text without content, and one with a NUL at its end are refused")
  func refused() throws {
    let promise = try #require(promise_new())
    promise_release(promise)
    let stale = value(PROMISE_KIND_PROMISE) { $0.ptr = UnsafeMutableRawPointer(promise) }
    #expect(
      try message("narrow_promise", of: "test.dispatch", stale).contains("'row' is a promise that does not exist"))
    let forged = value(PROMISE_KIND_STRING) { $0.ptr = nil }
    #expect(try message("bytes", of: "test.types", forged).contains("argument 'data' is "))
    var text = promise_value_t()
    promise_value_string(&text, "two\0", 4)
    #expect(try message("find", of: "test.dispatch", text).contains("argument 'key' contains a NUL"))
    promise_value_release(&text)
  }

  @Test(
    "bytes are refused as a text that the function keeps, or reads up to its NUL", arguments: ["cstr", "own_str"])
  func bytesForText(_ function: String) throws {
    var bytes = promise_value_t()
    promise_value_bytes(&bytes, "two", 3)
    #expect(try message(function, of: "test.types", bytes).contains("argument 'text' is "))
    promise_value_release(&bytes)
  }

  @Test("bytes that a function sorts in place are those of the call: the caller's stay as they are")
  func inPlace() throws {
    let compare: @convention(c) (UnsafePointer<Int32>?, UnsafePointer<Int32>?) -> Int32 = { $0![0] - $1![0] }
    var base = promise_value_t()
    let numbers: [Int32] = [3, 1, 2]
    numbers.withUnsafeBytes { _ = promise_value_bytes(&base, $0.baseAddress, $0.count) }
    let function = value(PROMISE_KIND_POINTER) { $0.ptr = unsafeBitCast(compare, to: UnsafeMutableRawPointer.self) }
    let sorted = try invoke("qsort", of: "test.callbacks", [base, value(PROMISE_KIND_U64) { $0.u64 = 4 }, function])
    #expect(sorted.state == PROMISE_FULFILLED)
    let kept = try #require(promise_value_data(&base, nil))
    #expect(kept.withMemoryRebound(to: Int32.self, capacity: 3) { [$0[0], $0[1], $0[2]] } == numbers)
    promise_value_release(&base)
  }

  @Test("a struct that a general call returns is put where the caller wants it")
  func structure() throws {
    var points = promise_value_t()
    let numbers = [1.0, 2, 3, 4]
    numbers.withUnsafeBytes { _ = promise_value_bytes(&points, $0.baseAddress, $0.count) }
    defer { promise_value_release(&points) }
    var place = [0.0, 0]
    var result = promise_value_t()
    let centroid = try host.function("centroid", of: "test.dispatch")
    var before = promise_statistics_t()
    var after = promise_statistics_t()
    before.size = UInt32(MemoryLayout<promise_statistics_t>.size)
    after.size = before.size
    var growth = Int64.max
    // If the values were kept, there would be 2000 more each time. Other tests may have many more meanwhile.
    for attempt in 0..<20 where growth >= 1000 {
      if attempt > 0 { usleep(500_000) }
      promise_statistics(&before)
      place.withUnsafeMutableBytes { place in
        for _ in 0..<2000 { centroid.invoke(&points, count: 1, into: &result, structure: place.baseAddress) }
        #expect(result.kind == promise_kind_t(PROMISE_KIND_POINTER) && result.as.ptr == place.baseAddress)
      }
      promise_statistics(&after)
      growth = Int64(after.values) - Int64(before.values)
    }
    #expect(place == [2, 3] && growth < 1000)
  }

  @Test("bytes that are not a whole number of elements are refused")
  func partOfAnElement() throws {
    var bytes = promise_value_t()
    promise_value_bytes(&bytes, [UInt8](repeating: 0, count: 24), 24)
    defer { promise_value_release(&bytes) }
    let message = try message("centroid", of: "test.dispatch", bytes)
    #expect(message.contains("argument 'points' is 24 bytes, expected a multiple of 16"), "\(message)")
  }

  @Test("converted arguments live until the promise of the call is settled")
  func lending() throws {
    // Memory of this size goes back to the system as soon as it is freed.
    let long = String(repeating: "a", count: 40 << 20)
    var (values, texts) = (try json("[1.5, 2]"), try json("[\"\(long)\", \"b\"]"))
    let result = try invoke("later", of: "test.dispatch", [values, texts])
    #expect(result.state == PROMISE_FULFILLED)
    _ = try invoke("go", of: "test.dispatch", [])
    promise_value_release(&values)
    promise_value_release(&texts)
    var point = promise_value_t()
    #expect(promise_result(OpaquePointer(result.value.as.ptr), &point) == PROMISE_OK)
    let content = try #require(promise_value_data(&point, nil))
    #expect(content.withMemoryRebound(to: Double.self, capacity: 2) { [$0[0], $0[1]] } == [3.5, 2])
    promise_release(OpaquePointer(result.value.as.ptr))
  }

  @Test("an error of a callback rejects the call; borrowed arguments live as long as the promise of the function")
  func throwingCallback() throws {
    struct Full: Error {}
    final class Held: Sendable {}
    weak var held: Held?
    func callback() -> PluginCallback {
      let object = Held()
      held = object
      return PluginCallback { _ in try withExtendedLifetime(object) { throw Full() } }
    }
    var arguments = [try #require(callback().wrapped), promise_value_t()]
    let data = [UInt8](repeating: 3, count: 50_000)
    promise_value_bytes(&arguments[1], data, data.count)
    var result = try invoke("sum_after", of: "test.promises", arguments)
    #expect(result.state == PROMISE_REJECTED && result.value.kind != promise_kind_t(PROMISE_KIND_PROMISE))
    promise_value_release(&result.value)
    for index in arguments.indices { promise_value_release(&arguments[index]) }
    #expect(try invoke("discarded", of: "test.promises", []).value.as.i64 == 1)
    #expect(host.retainedArguments.count == 1)
    // No code of the plugin can call the closure any more.
    #expect(held == nil)
    _ = try invoke("go", of: "test.promises", [])
    #expect(try invoke("seen", of: "test.promises", []).value.as.i64 == 150_000)
    host.retainedArguments.releaseUnused()
    #expect(host.retainedArguments.count == 0)
  }

  @Test("an argument of the tail is named by its place there")
  func tail() throws {
    let format = try json(#""dd""#)
    #expect(try message("total", of: "test.dispatch", format, number(1), format).contains("argument 'rest[1]' is "))
  }

  // MARK: Values

  private func value(_ kind: Int, _ set: (inout promise_value.__Unnamed_union_as) -> Void) -> promise_value_t {
    var value = promise_value_t()
    value.kind = promise_kind_t(kind)
    set(&value.as)
    return value
  }

  private func number(_ number: Double) -> promise_value_t { value(PROMISE_KIND_F64) { $0.f64 = number } }

  private func json(_ text: String) throws -> promise_value_t {
    var value = promise_value_t()
    try #require(promise_value_from_json(&value, text, text.utf8.count, nil, nil) == PROMISE_OK)
    return value
  }

  private func invoke(
    _ name: String, of plugin: String, _ arguments: [promise_value_t]
  ) throws -> (state: Int32, value: promise_value_t) {
    var result = promise_value_t()
    let state = try host.function(name, of: plugin).invoke(arguments, count: arguments.count, into: &result)
    return (Int32(state), result)
  }

  /// Returns the message of the error that a call is rejected with.
  private func message(_ name: String, of plugin: String, _ arguments: promise_value_t...) throws -> String {
    var result = try invoke(name, of: plugin, arguments)
    defer { promise_value_release(&result.value) }
    guard result.state == PROMISE_REJECTED, let text = promise_value_data(&result.value, nil) else {
      return "not rejected: \(result)"
    }
    return String(cString: text)
  }
}
