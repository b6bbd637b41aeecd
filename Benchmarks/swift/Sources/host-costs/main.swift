// `host-costs ADDER.so [--long]`: a call through a signature that was read at run time, against the same call prepared
// by hand.
import CBareCall
import CPromise
import CReport
import Glibc
import PluginRuntime
import Timing

let arguments = CommandLine.arguments.dropFirst()
guard let plugin = arguments.first, arguments.dropFirst().allSatisfy({ $0 == "--long" }), arguments.count <= 2 else {
  print("usage: host-costs ADDER.so [--long]")
  exit(64)
}

let host = Host()
let function: PluginFunction
let length: PluginFunction
let middle: PluginFunction
do {
  let id = try host.load(plugin).id
  function = try host.function("add", of: id)
  length = try host.function("length", of: id)
  middle = try host.function("middle", of: id)
} catch {
  print("benchmark: \(error)")
  exit(2)
}

/// Calls `function` with numbers, and adds up what it returns.
@inline(never)
func hostCalls(_ count: Int) -> Int64 {
  var sum: Int64 = 0
  var values = (integer(0), integer(1))
  withUnsafeMutablePointer(to: &values) { values in
    values.withMemoryRebound(to: promise_value_t.self, capacity: 2) { values in
      for number in 0..<count {
        var result = promise_value_t()
        values[0].as.i64 = Int64(number)
        function.invoke(values, count: 2, into: &result)
        sum += result.as.i64
      }
    }
  }
  return sum
}

func integer(_ number: Int64) -> promise_value_t {
  var value = promise_value_t()
  value.kind = promise_kind_t(PROMISE_KIND_I64)
  value.as.i64 = number
  return value
}

let texts = Shapes.texts(1000)

// What is compared has to be the same.
guard hostCalls(1000) == bare_calls(1000), Shapes.texts(length, texts, 1000) == UInt64(bare_text_calls(1000)),
  Shapes.structs(middle, 1000) == bare_struct_calls(1000)
else {
  print("benchmark: the plugin's functions do not do what the bare ones do")
  exit(2)
}

let batch = 1000
let stopwatch = Stopwatch(rounds: arguments.count == 1 ? 300 : 3000)
let times = stopwatch.race(
  items: batch,
  [
    { Stopwatch.time($0) { _ = hostCalls(batch) } },
    { Stopwatch.time($0) { _ = bare_calls(batch) } },
    { Stopwatch.time($0) { _ = Shapes.texts(length, texts, batch) } },
    { Stopwatch.time($0) { _ = bare_text_calls(batch) } },
    { Stopwatch.time($0) { _ = Shapes.structs(middle, batch) } },
    { Stopwatch.time($0) { _ = bare_struct_calls(batch) } },
  ])
report_heading("A plugin's function through its signature, against a bare ffi_call", "ns")
report("int(int, int), values in and out", against: times[1], ours: times[0], budget: 1.5)
report("(str) -> u64, values in and out", against: times[3], ours: times[2], budget: 1.5)
report("a struct of three doubles from two, by value", against: times[5], ours: times[4], budget: 1.5)
exit(report_failed() ? 1 : 0)
