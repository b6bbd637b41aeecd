import CBareCall
import CPromise
import PluginRuntime

/// A measured function.
enum Call: String, CaseIterable {
  case int, text, `struct`, callback

  var title: String {
    switch self {
    case .int: "int(int, int)"
    case .text: "(str) -> u64"
    case .struct: "a struct by value"
    case .callback: "a function with a callback"
    }
  }

  /// The budget as a multiple of a bare ffi_call; nil: none.
  var budget: Double? { self == .callback ? nil : 1.5 }

  /// Makes the bare call a number of times, and returns the sum of the results.
  func bare(_ count: Int, isDirect: Bool) -> Double {
    let function: bare_function_t =
      switch self {
      case .int: BARE_INT
      case .text: BARE_TEXT
      case .struct: BARE_STRUCT
      case .callback: BARE_CALLBACK
      }
    return bare_calls(function, isDirect ? BARE_DIRECT : BARE_FFI, count)
  }
}

/// The plugin's functions, with reusable arguments.
final class Callee {
  private struct NotThere: Error {}
  private struct Point {
    var x = 0.0
    var y = 0.0
  }

  private let functions: [Call: PluginFunction]
  private let values: UnsafeMutablePointer<promise_value_t>
  private let points: UnsafeMutablePointer<Point>

  init(_ path: String) throws {
    guard bare_open(path) else { throw NotThere() }
    let host = Host()
    let plugin = try host.load(path).id
    functions = [
      .int: try host.function("add", of: plugin), .text: try host.function("length_of", of: plugin),
      .struct: try host.function("middle", of: plugin), .callback: try host.function("apply", of: plugin),
    ]
    // Arguments and results.
    points = .allocate(capacity: 3)
    points.initialize(repeating: Point(), count: 3)
    points[1] = Point(x: 2, y: 4)
    values = .allocate(capacity: 2)
    values.initialize(repeating: promise_value_t(), count: 2)
  }

  /// Whether the calls return the same as the bare calls.
  func isRight() -> Bool {
    Call.allCases.allSatisfy { call in
      let sum = calls(call, 1000)
      return sum == call.bare(1000, isDirect: true) && sum == call.bare(1000, isDirect: false)
    }
  }

  /// Calls a function a number of times, and returns the sum of the results.
  @inline(never)
  func calls(_ call: Call, _ count: Int) -> Double {
    guard let function = functions[call] else { return .nan }
    switch call {
    case .int:
      set(0, PROMISE_KIND_I64)
      set(1, PROMISE_KIND_I64)
      values[1].as.i64 = 1
      return sum(count, function, 2) { $0.as.i64 = Int64($1) }
    case .text:
      promise_value_string(values, "twelve bytes", 12)
      defer { promise_value_release(values) }
      return sum(count, function, 1) { _, _ in }
    case .struct:
      set(0, PROMISE_KIND_POINTER)
      set(1, PROMISE_KIND_POINTER)
      values[0].as.ptr = UnsafeMutableRawPointer(points)
      values[1].as.ptr = UnsafeMutableRawPointer(points + 1)
      return structs(count, function)
    case .callback:
      let same: @convention(c) (Int32) -> Int32 = { $0 }
      set(0, PROMISE_KIND_POINTER)
      set(1, PROMISE_KIND_I64)
      values[0].as.ptr = unsafeBitCast(same, to: UnsafeMutableRawPointer.self)
      return sum(count, function, 2, argument: 1) { $0.as.i64 = Int64($1) }
    }
  }

  private func set(_ index: Int, _ kind: Int) {
    values[index] = promise_value_t()
    values[index].kind = promise_kind_t(kind)
  }

  @inline(__always)
  private func sum(
    _ count: Int, _ function: PluginFunction, _ arguments: Int, argument: Int = 0,
    _ change: (inout promise_value_t, Int) -> Void
  ) -> Double {
    var sum = 0.0
    for number in 0..<count {
      var result = promise_value_t()
      change(&values[argument], number)
      function.invoke(values, count: arguments, into: &result)
      sum += Double(result.as.i64)
    }
    return sum
  }

  @inline(__always)
  private func structs(_ count: Int, _ function: PluginFunction) -> Double {
    var sum = 0.0
    for number in 0..<count {
      var result = promise_value_t()
      points[0].x = Double(number)
      function.invoke(values, count: 2, into: &result, structure: points + 2)
      sum += points[2].x
    }
    return sum
  }
}
