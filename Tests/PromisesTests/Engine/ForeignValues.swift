import PromisesTestSupport
import Testing

@testable import Promises

@Suite("Values that another language made")
struct ForeignValues {
  /// Returns a promise that is fulfilled with `value` as the C ABI does it.
  private func promise<Value>(of type: Value.Type, _ value: CellValue) -> Promise<Value> {
    let promise = Promise<Value>()
    _ = promise.cell.settle(value, .fulfilled)
    return promise
  }

  private func reason(_ value: CellValue) -> Any? {
    let promise = Promise<Int>()
    _ = promise.cell.settle(value, .rejected)
    return promise.rejectReason
  }

  @Test("a number is read as an integer of any type that has room for it")
  func integers() {
    let large = CellValue(kind: .u64, bits: .max)
    #expect(promise(of: UInt64.self, large).value == .max && promise(of: Any.self, large).value as? UInt == .max)
    #expect(promise(of: Int.self, large).value == nil && promise(of: Int8.self, .i64(300)).value == nil)
    #expect(promise(of: UInt8.self, .i64(-1)).value == nil && promise(of: Int8.self, .i64(-5)).value == -5)
    #expect(promise(of: Int64.self, CellValue(kind: .u64, bits: 7)).value == 7)
    #expect(reason(large) as? UInt == .max && reason(.i64(-3)) as? Int == -3 && reason(.void) == nil)
  }

  @Test("a value of another type is an error where there is room for one, else the cause of a cancellation")
  func otherTypes() {
    let text = Promise<String>.resolve("text")
    for _ in 0..<2 { #expect(text.cell.retain()) }
    let open = Future<Int, any Error>(cell: text.cell)
    let closed = Future<Int, TestError>(cell: text.cell)
    #expect(open.error is PromiseError && closed.result?.indirectError is PromiseError)
    #expect(open.map { $0 }.error is PromiseError)
    let mapped = closed.map { $0 }
    #expect(mapped.result?.indirectError is PromiseError)
  }

  @Test("an error keeps its parts and the order of its causes, and is described with them")
  func errors() {
    let root = PromiseError(domain: "disk", code: 5, message: "no answer")
    let cause = PromiseError(domain: "file", code: 2, message: "not read", origin: "read.c")
    let error = PromiseError(domain: "app", code: -7, message: "failed", origin: "main.c", causes: [cause, root])
    #expect(Promise<Int>.reject(error).rejectReason as? PromiseError == error)
    #expect(error.origin == "main.c" && error.causes == [cause, root])
    #expect("\(error)" == "failed (app -7), because of: not read (file 2), because of: no answer (disk 5)")
  }

  @Test(
    "collections are converted to a depth of 256, both ways; deeper ones keep their form",
    arguments: [false, true])
  func depth(endsWithArray: Bool) {
    var (made, value) = (CellValue.i64(7), 7 as Any)
    for level in 0..<300 {
      made = withUnsafeBytes(of: made) { CellValue.made(Box.array($0.baseAddress, count: 1)) }
      value = (level % 2 == 0) != endsWithArray ? [value] as [Any] : ["a": value] as [String: Any]
    }
    var (levels, read) = (0, reason(made))
    while let array = read as? [Any] { (levels, read) = (levels + 1, array[0]) }
    #expect(levels == 256 && read is ForeignObject)
    let promise = Promise<Int>()
    promise.reject(value)
    (levels, made) = (0, promise.cell.value)
    while made.kind == ValueKind.array.rawValue || made.kind == ValueKind.map.rawValue {
      (levels, made) = (levels + 1, Box(made.owner).elements[0])
    }
    #expect(levels == 256 && made.swiftBox != nil)
  }

  @Test("an object is retained by the Swift object that wraps it, and by promises of that object")
  func objects() throws {
    try withLifetimeTracking { tracker in
      let type = TypeRegistry.register("test.object", parent: 0) {
        Unmanaged<AnyObject>.fromOpaque($0!).release()
      }
      guard case .success(let index) = type else { throw TestError(1) }
      let payload = Unmanaged.passRetained(tracker.track() as AnyObject).toOpaque()
      var object: ForeignObject?
      do {
        let made = promise(of: ForeignObject.self, try #require(Box.object(type: index, payload)))
        object = made.value
        #expect(object?.typeName == "test.object" && object?.payload == payload)
      }
      #expect(tracker.live == 1)
      let other = Promise<ForeignObject>.resolve(try #require(object))
      object = nil
      #expect(tracker.live == 1 && other.value?.payload == payload)
    }
  }
}
