import CPromise
import Testing

@testable import PluginRuntime

/// The memory of a call: its frame on the stack, and its blocks on the heap.
@Suite("Calls: their memory")
struct CallFrames {
  /// Passes more arguments than the frames of usual calls have memory for.
  @Test("holds many words of arguments", arguments: [(40, false), (100, true)])
  func words(count: Int, hasOutput: Bool) async throws {
    let names = (0..<count).map { "a\($0)" }
    let sum = names.enumerated().map { "\($0 + 1) * \($1)" }.joined(separator: " + ")
    let inC = names.map { "int64_t \($0)" }.joined(separator: ", ")
    let inSignature = names.map { "\($0): i64" }.joined(separator: ", ")
    let host = try Host.adopting(
      hasOutput
        ? "long sum(\(inC), int64_t *last) { *last = a0; return \(sum); }".including("stdint.h")
        : "long sum(\(inC)) { return \(sum); }".including("stdint.h"),
      hasOutput ? "sum(\(inSignature), last: out i64) -> i64" : "sum(\(inSignature)) -> i64")
    var numbers: [Int64] = []
    var expected: Int64 = 0
    for index in 0..<Int64(count) {
      numbers.append(index << 32 | 1)
      expected += (index + 1) * numbers[Int(index)]
    }
    let outcome = await host.outcome("sum", of: "test.code", numbers.map { .value(.int($0)) })
    let result = hasOutput ? outcome.value?[member: "result"] : outcome.value
    #expect(result == .int(expected), "\(outcome)")
    if hasOutput { #expect(outcome.value?[member: "last"] == .int(numbers[0])) }
  }

  @Test("has the addresses of a result and an error behind those of the arguments", arguments: 0..<20)
  func addresses(count: Int) {
    let layout = CallFrame.Layout(end: 16 * count, count: count, resultSize: 24)
    #expect(layout.returned == 16 * count && layout.result == layout.returned + 32)
    #expect(layout.error == layout.result + 32 && layout.outputs >= layout.error + 16)
    #expect(layout.addresses >= layout.outputs + 16 && layout.size >= layout.addresses + (count + 2) * 8)
  }

  @Test("the memory of a call is aligned for every type, also behind texts of odd lengths")
  func alignment() async throws {
    let host = try Host.adopting(
      """
      #include <stdint.h>
      #include <string.h>
      uint64_t place(const char *const *texts, const long double *numbers, int32_t count) {
        return (uintptr_t)numbers % _Alignof(long double) + (strlen(texts[0]) == 2 && count == 2 ? 0 : 100);
      }
      """, "place(texts: &[cstr; 0], numbers: &[f64x; count], count: i32) -> u64")
    let texts = PluginValue.array([.string("ab"), .string("abc")])
    let outcome = await host.outcome(
      "place", of: "test.code", [.value(texts), .value(.array([.double(1), .double(2)]))])
    #expect(outcome.value == .uint(0), "\(outcome)")
  }

  @Test("the memory of a call has no released promise, also for a function with outputs")
  func stale() throws {
    let host = try Host.adopting(
      "int held(void *promise, int *calls) { *calls = 1; return promise != 0; }",
      "held(promise: promise<i64>, calls: out i32) -> i32")
    let promise = try #require(promise_new())
    promise_release(promise)
    var argument = promise_value_t()
    argument.kind = promise_kind_t(PROMISE_KIND_PROMISE)
    argument.as.ptr = UnsafeMutableRawPointer(promise)
    var result = promise_value_t()
    let state = try host.function("held", of: "test.code").invoke(&argument, count: 1, into: &result)
    defer { promise_value_release(&result) }
    #expect(Int32(state) == PROMISE_REJECTED)
    let message = promise_value_data(&result, nil).map { String(cString: $0) } ?? "none"
    #expect(
      message.contains("'promise' is a promise that was released, expected one that the caller holds"), "\(message)")
  }
}

extension String {
  /// Returns the code behind a line that includes a header.
  fileprivate func including(_ header: String) -> String { "#include <\(header)>\n\(self)\n" }
}
