import CPromise
import PluginRuntime
import Promises
import Testing

import class Foundation.ProcessInfo

/// Random functions, each compiled by two compilers at two levels of optimisation, and called with random values: host
/// and C agree on every bit.
///
/// `ROUND_TRIPS` says how many (100), `ROUND_TRIP_SEED` which ones.
@Suite("Round trips", .serialized)
struct RoundTrips {
  private static let environment = ProcessInfo.processInfo.environment
  static let count = environment["ROUND_TRIPS"].flatMap { Int($0) } ?? 100
  static let seed = environment["ROUND_TRIP_SEED"].flatMap { UInt64($0) } ?? 20_261_121
  private static let batch = 100

  @Test(
    "host and C agree on every bit, with every compiler",
    arguments: Array(stride(from: 0, to: count, by: batch)))
  func agree(_ first: Int) async throws {
    var dice = Dice(seed: Self.seed &+ UInt64(first))
    var trials: [Trial] = []
    for index in first..<min(first + Self.batch, Self.count) {
      trials.append(try Trial(name: "f\(index)", dice: &dice))
    }
    let source = CModule.source(trials)
    for compiler in ["gcc", "clang"] {
      for level in ["-O0", "-O2"] {
        let library = try Fixture.library("trials", from: source, by: compiler, [level])
        let host = Host()
        try host.load(library)
        for (index, trial) in trials.enumerated() {
          await run(trial, "f\(first + index)", on: host, "\(compiler) \(level)")
        }
        try await checkObjects(of: host, "\(compiler) \(level)")
      }
    }
  }

  /// Expects that every object that a function returned is destroyed once the host has ended.
  private func checkObjects(of host: Host, _ build: String) async throws {
    let made = await host.outcome("made", of: "test.trials").value
    let destroyed = try host.function("destroyed", of: "test.trials")
    host.unloadAll()
    var result = promise_value_t()
    destroyed.invoke(nil, count: 0, into: &result)
    #expect(made == .int(result.as.i64), "\(build), seed \(Self.seed)")
  }

  private func run(_ trial: Trial, _ name: String, on host: Host, _ build: String) async {
    await call(trial, name, trial.arguments.map { .value($0) }, on: host, build)
    guard trial.isSayableInJSON else { return }
    let json = trial.arguments.map { try? JSONText(parsing: Array($0.jsonArgument.utf8)) }
    await call(trial, name, json.map { Argument(.json($0 ?? .null)) }, on: host, "\(build), JSON")
  }

  private func call(_ trial: Trial, _ name: String, _ arguments: [Argument], on host: Host, _ build: String) async {
    let outcome = await host.outcome(name, of: "test.trials", arguments)
    let failed = await host.outcome("failed", of: "test.trials").value
    #expect(failed == .string(""), "\(build), seed \(Self.seed): \(trial.text)\n\(trial.source)")
    if let expected = trial.expected {
      let isSame = outcome.value?.isIdentical(to: expected) ?? false
      #expect(
        isSame, "\(build), seed \(Self.seed): \(trial.text)\ngave \(outcome), expected \(expected)\n\(trial.source)")
    } else {
      #expect(outcome.promiseError?.code == -5, "\(build): \(trial.text) gave \(outcome)")
    }
  }
}

/// The C file that all functions of a batch are in.
enum CModule {
  static func source(_ trials: [Trial]) -> String {
    let rows = trials.enumerated().map { _, trial in
      let name = trial.text.prefix { $0 != "(" }
      return "  {\"\(trial.text)\", (promise_function_t)\(name), NULL},"
    }
    return prologue + trials.map(\.source).joined(separator: "\n") + """
      static const promise_plugin_function_t functions[] = {
        {"failed() -> cstr", (promise_function_t)take_failure, NULL},
        {"made() -> i32", (promise_function_t)count_made, NULL},
        {"destroyed() -> i32", (promise_function_t)count_destroyed, NULL},
      \(rows.joined(separator: "\n"))
      };
      static promise_status_t load(const promise_host_t *table, promise_value_t *error) {
        host = table;
        return 0;
      }
      const promise_plugin_t *promise_plugin_entry(uint32_t host_abi) {
        static const promise_plugin_t plugin = {
          .size = sizeof(promise_plugin_t), .abi_min = 1, .abi_max = PROMISE_ABI_VERSION,
          .function_size = sizeof(promise_plugin_function_t), .id = "test.trials", .version = "1", .load = load,
          .functions = functions, .function_count = sizeof functions / sizeof functions[0]};
        return &plugin;
      }

      """
  }

  private static let prologue = """
    #include <promise_plugin.h>
    #include <stdarg.h>
    #include <stdbool.h>
    #include <stdlib.h>
    #include <string.h>
    #define UNQUALIFIED(x) __typeof__(((void)0, (x)))
    #define CHECK(condition) do { if (!(condition) && !failure[0]) failure = #condition; } while (0)
    static const promise_host_t *host;
    static const char *failure = "";
    static const char *take_failure(void) { const char *taken = failure; failure = ""; return taken; }
    static bool same(const void *a, size_t n, const void *b, size_t m) { return n == m && (n == 0 || memcmp(a, b, n) == 0); }
    static bool zeros(const void *data, size_t n) {
      const unsigned char *bytes = data;
      while (n > 0 && bytes[n - 1] == 0) n--;
      return n == 0;
    }
    static uint32_t bits32(float value) { uint32_t bits; memcpy(&bits, &value, sizeof bits); return bits; }
    static uint64_t bits64(double value) { uint64_t bits; memcpy(&bits, &value, sizeof bits); return bits; }
    static float float_of(uint32_t bits) { float value; memcpy(&value, &bits, sizeof bits); return value; }
    static double double_of(uint64_t bits) { double value; memcpy(&value, &bits, sizeof bits); return value; }
    static void *give(const void *data, size_t n) {
      void *memory = host->allocate(host, n > 0 ? n : 1);
      if (n > 0) memcpy(memory, data, n);
      return memory;
    }
    void release(void *memory) { free(memory); }
    static _Atomic int32_t made, destroyed;
    static void *make(uintptr_t address) { made++; return (void *)address; }
    static int32_t count_made(void) { return made; }
    static int32_t count_destroyed(void) { return destroyed; }
    void destroy(void *object) { destroyed++; }

    """
}

extension PluginValue {
  /// Whether both are equal to the bit: a NaN is itself, and -0 is not 0.
  func isIdentical(to other: PluginValue) -> Bool {
    switch (self, other) {
    case (.double(let left), .double(let right)): left.bitPattern == right.bitPattern
    case (.array(let left), .array(let right)):
      left.count == right.count && zip(left, right).allSatisfy { $0.isIdentical(to: $1) }
    case (.object(let left), .object(let right)):
      left.count == right.count
        && zip(left, right).allSatisfy { $0.name == $1.name && $0.value.isIdentical(to: $1.value) }
    default: self == other
    }
  }

  var isInfinite: Bool { if case .double(let number) = self { number.isInfinite } else { false } }

  var hasPointer: Bool {
    switch self {
    case .pointer: true
    case .array(let elements): elements.contains(where: \.hasPointer)
    case .object(let members): members.contains(where: \.value.hasPointer)
    default: false
    }
  }

  var hasNaN: Bool {
    switch self {
    case .double(let number): number.isNaN
    case .array(let elements): elements.contains(where: \.hasNaN)
    case .object(let members): members.contains(where: \.value.hasNaN)
    default: false
    }
  }

  /// The value as an argument in JSON: bytes as an array, because a string would mean its own UTF-8.
  var jsonArgument: String {
    switch self {
    case .bytes(let bytes): "[" + bytes.map(String.init).joined(separator: ",") + "]"
    case .array(let elements): "[" + elements.map(\.jsonArgument).joined(separator: ",") + "]"
    case .object(let members):
      "{" + members.map { "\"\($0.name)\":\($0.value.jsonArgument)" }.joined(separator: ",") + "}"
    default: json
    }
  }
}
