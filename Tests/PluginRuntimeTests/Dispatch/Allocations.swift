import CCountedHeap
import CPromise
import PluginRuntime
import Promises
import Testing

@Suite("Calls: allocations", .enabled(if: counted_heap_counts()))
struct Allocations {
  let host: Host

  init() throws { host = try .loading("dispatch") }

  @Test("a binary call with 16 scalar arguments, integers and floats of every width, does not allocate")
  func scalars() throws {
    let wide = try host.function("wide", of: "test.dispatch")
    let arguments = wide.signature.inputs.enumerated().map { index, parameter in
      switch parameter.type {
      case .f32, .f64: value(PROMISE_KIND_F64) { $0.f64 = Double(index) }
      case .u8, .u16: value(PROMISE_KIND_U64) { $0.u64 = UInt64(index) }
      default: value(PROMISE_KIND_I64) { $0.i64 = Int64(index) }
      }
    }
    #expect(arguments.count == 16)
    #expect(calls(of: wide, arguments, giving: 120) == 0)
  }

  @Test("a binary call with a text, or with structs by value whose result has a place, does not allocate")
  func spans() throws {
    let length = try host.function("sum_bytes_of", of: "test.dispatch")
    var text = promise_value_t()
    promise_value_string(&text, "abc", 3)
    defer { promise_value_release(&text) }
    #expect(calls(of: length, [text], giving: 294) == 0)
    let middle = try host.function("middle", of: "test.dispatch")
    var points = [2.0, 4.0, 6.0, 8.0]
    var place = [0.0, 0.0]
    points.withUnsafeMutableBytes { points in
      let left = value(PROMISE_KIND_POINTER) { $0.ptr = points.baseAddress }
      let right = value(PROMISE_KIND_POINTER) { $0.ptr = points.baseAddress.map { $0 + 16 } }
      place.withUnsafeMutableBytes { place in
        var result = promise_value_t()
        let arguments = [left, right]
        middle.invoke(arguments, count: 2, into: &result, structure: place.baseAddress)
        let before = counted_heap_calls()
        for _ in 0..<100 { middle.invoke(arguments, count: 2, into: &result, structure: place.baseAddress) }
        #expect(counted_heap_calls() - before == 0)
        #expect(result.as.ptr == place.baseAddress)
      }
    }
    #expect(place == [4, 6])
  }

  @Test("a binary call that passes on a C function, or an optional that is absent, does not allocate")
  func functions() throws {
    let host = try Host.loading("callbacks")
    var doubler = promise_value_t()
    try host.function("doubler", of: "test.callbacks").invoke(nil, count: 0, into: &doubler)
    #expect(doubler.kind == promise_kind_t(PROMISE_KIND_POINTER))
    let maybe = try host.function("maybe", of: "test.callbacks")
    #expect(calls(of: maybe, [doubler], giving: 40) == 0)
    #expect(calls(of: maybe, [value(PROMISE_KIND_VOID) { _ in }], giving: -1) == 0)
  }

  @Test(
    "a call's structs are described once for each function: 15 more fields are few more allocations",
    arguments: ["row", "promise"])
  func plans(shape: String) throws {
    let names = (0..<16).map { String(UnicodeScalar(UInt8(ascii: "a") + $0)) }
    let row = PluginValue.object(names.map { PluginMember($0, .int(1)) })
    let narrow = calls(of: "narrow_\(shape)", .object([PluginMember("a", .int(1))]))
    #expect(calls(of: "wide_\(shape)", row) <= narrow + 15 * 3 * 100)
  }

  @Test("the counter of allocations counts an allocation")
  func counting() {
    let before = counted_heap_calls()
    let array = [Int](repeating: 1, count: 100)
    #expect(counted_heap_calls() > before, "\(array.count)")
  }

  /// Returns the number of heap allocations of 100 calls, after a first call.
  private func calls(of function: PluginFunction, _ arguments: [promise_value_t], giving sum: Int64) -> UInt64 {
    var result = promise_value_t()
    return arguments.withUnsafeBufferPointer { arguments in
      function.invoke(arguments.baseAddress, count: arguments.count, into: &result)
      #expect(result.as.i64 == sum)
      let before = counted_heap_calls()
      for _ in 0..<100 { function.invoke(arguments.baseAddress, count: arguments.count, into: &result) }
      return counted_heap_calls() - before
    }
  }

  /// Returns the number of heap allocations of 100 calls by the host, after a first call.
  private func calls(of function: String, _ value: PluginValue) -> UInt64 {
    let arguments = [Argument.value(value)]
    #expect(host.call(function, of: "test.dispatch", arguments).state == .fulfilled)
    let before = counted_heap_calls()
    for _ in 0..<100 { _ = host.call(function, of: "test.dispatch", arguments) }
    return counted_heap_calls() - before
  }

  private func value(
    _ kind: Int, _ fill: (inout promise_value.__Unnamed_union_as) -> Void
  ) -> promise_value_t {
    var value = promise_value_t()
    value.kind = promise_kind_t(kind)
    fill(&value.as)
    return value
  }
}
