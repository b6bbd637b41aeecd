import PromisesTestSupport
import Testing

@testable import Promises

/// Operators that have an implementation in the engine, for C, and one for typed values, in Swift.
@Suite("Engine: operators that exist twice")
struct OperatorPairs {
  private typealias Numbers = Publisher<Int, TestError>

  /// Each order of at most `count` values and errors, as a string of `v` and `e`.
  private static func orders(_ count: Int) -> [String] {
    var all = [""]
    for length in 1...count {
      all += all.filter { $0.count == length - 1 }.flatMap { [$0 + "v", $0 + "e"] }
    }
    return all
  }

  /// Publishes values and errors in each order, then finishes, and returns the states of two streams as text.
  private static func compare<Value>(
    _ typed: (Subscriber<Int, TestError>) -> Subscriber<Value, TestError>, _ operation: () -> Stage.Operation
  ) {
    for order in orders(7) {
      let publisher = Numbers()
      let logs = [Recorder<String>(), Recorder<String>()]
      let first = typed(publisher.subscriber()).subscribe { logs[0].record("\($0)") }
      let cell = publisher.cell.derived(by: operation())
      let second = Subscriber<Any, TestError>(node: StreamNode(cell))
      second.subscribe { logs[1].record("\($0)") }
      for (number, kind) in order.enumerated() {
        if kind == "v" { publisher.publish(number) } else { publisher.publish(error: TestError(number)) }
      }
      _ = publisher.cell.end(.finished)
      #expect(logs[0].events == logs[1].events, "\(order)")
      #expect(logs[0].events.last == "Cancelled.", "\(order)")
      withExtendedLifetime((first, second)) {}
    }
  }

  /// A function of C that adds.
  private static let add: Fold.Function = { _, accumulated, value, out in
    let sum = unsafe accumulated.load(as: CellValue.self).bits &+ value.load(as: CellValue.self).bits
    unsafe out.storeBytes(of: CellValue(kind: .i64, bits: sum), as: CellValue.self)
    return StreamVerdict.publish.rawValue
  }

  private static func fold(isRunning: Bool) -> Stage.Operation {
    let initial = CellValue(kind: .i64, bits: 100)
    return unsafe .fold(Fold(add, initial, Context(nil, nil), isRunning: isRunning))
  }

  @Test("buffer publishes the groups of the engine's grouping", arguments: 1...4)
  func groups(size: Int) {
    Self.compare({ $0.buffer(size) }) { .group(Grouping(size: size)) }
  }

  @Test("scanValues publishes the arrays of the engine's window", arguments: 1...4)
  func windows(size: Int) {
    Self.compare({ $0.scanValues(size) }) { .window(Window(size: size)!) }
  }

  @Test("scan and reduce publish the values of the engine's folds")
  func folds() {
    Self.compare({ $0.scan(100, +) }) { Self.fold(isRunning: true) }
    Self.compare({ $0.reduce(100, +) }) { Self.fold(isRunning: false) }
  }
}
