import PluginRuntime
import Promises
import Testing

/// Failures that a function reports by its result, also beside outputs that do not fit their types.
@Suite("Failures of adopted functions")
struct ReportedFailures {
  private static func host() throws -> Host {
    try Host.adopting(
      """
      #include <errno.h>
      #include <stdint.h>
      static int64_t ends, last;
      void *address(int64_t at) { errno = EINVAL; return (void *)at; }
      void *object(int64_t at) { errno = EINVAL; return (void *)at; }
      void object_free(void *object) { ends++; last = (int64_t)object; }
      int64_t freed(void) { return ends; }
      int64_t freed_last(void) { return last; }
      int32_t no_text(const char **text) { return 16; }
      int32_t no_room(uint8_t *data, uint64_t *size) { *size = 300; return -51; }
      uint8_t byte(int64_t n) { errno = EBADF; return n; }
      uint32_t word(int64_t n) { errno = EBADF; return n; }
      uint64_t large(int64_t n) { errno = EBADF; return n; }
      int32_t explains(const char **text, const char **why) { *why = "no query"; return 3; }
      """,
      "address(at: i64) -> ptr<thing> ! errno", "object(at: i64) -> own(object_free) ptr<thing> ! errno",
      "freed() -> i64", "freed_last() -> i64", "no_text(text: out cstr) -> i32 ! nonzero",
      "byte(n: i64) -> u8 ! errno", "word(n: i64) -> u32 ! errno", "large(n: i64) -> u64 ! errno",
      "no_room(data: out bytes[size], size: inout u64 = 100) -> i32 ! negative",
      "explains(text: out cstr, why: out cstr) -> i32 ! nonzero")
  }

  @Test("the addresses NULL and -1 are failures by errno, and are not freed", arguments: ["address", "object"])
  func addresses(function: String) async throws {
    let host = try Self.host()
    for address in [Int64(0), -1] {
      let error = await host.outcome(function, of: "test.code", [.value(.int(address))]).promiseError
      #expect(error?.domain == "errno")
      #expect(error?.code == 22)
    }
    #expect(try await host.value("address", .value(.int(16))) == .pointer(PluginPointer(name: "thing", address: 16)))
    // Destructors run one after the other, on another thread: that of this object is the last.
    _ = await host.outcome("object", of: "test.code", [.value(.int(16))])
    try await waiting { try await host.value("freed_last") == .int(16) }
    #expect(try await host.value("freed") == .int(1))
  }

  @Test(
    "a number without a sign is a failure by errno if all of its bits are set", arguments: ["byte", "word", "large"])
  func unsigned(function: String) async throws {
    let host = try Self.host()
    let error = await host.outcome(function, of: "test.code", [.value(.int(-1))]).promiseError
    #expect(error?.domain == "errno")
    #expect(error?.code == 9)
    #expect(try await host.value(function, .value(.int(127))) == .uint(127))
    #expect(try await host.value(function, .value(.int(0))) == .uint(0))
  }

  @Test("a code that no signed number holds is in the message, in all its digits")
  func largeCode() async throws {
    let host = try Host.adopting(
      "#include <stdint.h>\nuint64_t code(int64_t n) { return n; }", "code(n: i64) -> u64 ! unless 7")
    let error = await host.outcome("code", of: "test.code", [.value(.int(-2))]).promiseError
    #expect(error?.message == "code returned 18446744073709551614")
    #expect(error?.code == 0)
    let small = await host.outcome("code", of: "test.code", [.value(.int(5))]).promiseError
    #expect(small?.message == "code returned 5")
    #expect(small?.code == 5)
  }

  @Test("outputs that do not fit their types do not hide the failure, nor do they hide other texts")
  func outputs() async throws {
    let host = try Self.host()
    for (function, code) in [("no_text", Int64(16)), ("no_room", -51), ("explains", 3)] {
      let outcome = await host.outcome(function, of: "test.code", [])
      #expect(outcome.promiseError?.code == code, "\(function): \(outcome)")
    }
    let error = await host.outcome("explains", of: "test.code", []).promiseError
    #expect(error?.message == "explains returned 3: no query")
  }
}
