import CPromise
import PluginRuntime

/// Calls with arguments of other shapes than words.
enum Shapes {
  /// Gives `function`, which takes a text, texts of different lengths, and adds up what it returns.
  @inline(never)
  static func texts(_ function: PluginFunction, _ texts: [promise_value_t], _ count: Int) -> UInt64 {
    var sum: UInt64 = 0
    texts.withUnsafeBufferPointer { texts in
      guard let first = texts.baseAddress else { return }
      for number in 0..<count {
        var result = promise_value_t()
        function.invoke(first + number % texts.count, count: 1, into: &result)
        sum += result.as.u64
      }
    }
    return sum
  }

  /// Texts of 0, 1, 2, ... bytes.
  static func texts(_ count: Int) -> [promise_value_t] {
    (0..<count).map { length in
      var text = promise_value_t()
      promise_value_string(&text, String(repeating: "x", count: length), length)
      return text
    }
  }

  /// Calls `function`, which makes a struct of two, and adds up the first field of the results.
  @inline(never)
  static func structs(_ function: PluginFunction, _ count: Int) -> Double {
    var sum = 0.0
    var left = (0.0, 1.0, 2.0)
    var right = (1.0, 2.0, 3.0)
    var middle = (0.0, 0.0, 0.0)
    withUnsafeMutableBytes(of: &right) { right in
      withUnsafeMutableBytes(of: &left) { left in
        withUnsafeMutableBytes(of: &middle) { middle in
          guard let left = left.baseAddress, let right = right.baseAddress, let middle = middle.baseAddress else {
            return
          }
          let arguments = [pointer(left), pointer(right)]
          for number in 0..<count {
            var result = promise_value_t()
            left.storeBytes(of: Double(number), as: Double.self)
            function.invoke(arguments, count: 2, into: &result, structure: middle)
            sum += middle.load(as: Double.self)
          }
        }
      }
    }
    return sum
  }

  private static func pointer(_ address: UnsafeMutableRawPointer) -> promise_value_t {
    var value = promise_value_t()
    value.kind = promise_kind_t(PROMISE_KIND_POINTER)
    value.as.ptr = address
    return value
  }
}
