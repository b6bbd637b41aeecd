import CPromise
import Promises
import Testing

/// Values whose type is known only at run time, on their way between Swift and C.
@Suite("Arrays, maps and errors between Swift and C")
struct DynamicValues {
  /// Returns the C value of a Swift value, as JSON.
  private func json(_ promise: AnyPromise) throws -> String {
    var (value, text) = (promise_value_t(), promise_value_t())
    #expect(promise_result(promise.abi, &value) == PROMISE_OK)
    defer {
      promise_value_release(&value)
      promise_value_release(&text)
    }
    #expect(promise_value_to_json(&text, &value, nil, nil) == PROMISE_OK)
    return String(cString: try #require(promise_value_data(&text, nil)))
  }

  /// Returns a promise of the C ABI, fulfilled with the value of a JSON text.
  private func promise(_ json: String, depth: UInt32 = 0) throws -> OpaquePointer {
    var value = promise_value_t()
    var options = promise_json_options_t()
    options.size = UInt32(MemoryLayout<promise_json_options_t>.size)
    options.max_depth = depth
    #expect(promise_value_from_json(&value, json, json.utf8.count, &options, nil) == PROMISE_OK)
    let promise = try #require(promise_new())
    #expect(promise_resolve(promise, &value) == PROMISE_OK)
    return promise
  }

  private func value<T>(_ type: T.Type, of handle: OpaquePointer) throws -> T? {
    var value: T?
    try #require(Promise<T>(adopting: handle)).then { value = $0 }
    return value
  }

  @Test("an array of anything and a dictionary are an ARRAY and a MAP")
  func fromSwift() throws {
    #expect(try json(Promise<[Any]>.resolve([1, "two", 3.5, true, [] as [Any], ()])) == #"[1,"two",3.5,true,[],null]"#)
    #expect(
      try json(Promise<[String: Any]>.resolve(["a": [1, ["b": 2] as [String: Any]] as [Any]])) == #"{"a":[1,{"b":2}]}"#)
    #expect(try json(Promise<Void>.reject(["why": [404] as [Any]] as [String: Any])) == #"{"why":[404]}"#)
  }

  @Test("an ARRAY and a MAP are an array and a dictionary, of the types that their elements have")
  func fromC() throws {
    let dictionary = try #require(try value([String: Any].self, of: promise(#"{"a":[1,"x"],"b":{"c":true}}"#)))
    #expect((dictionary["a"] as? [Any])?.first as? Int == 1)
    #expect((dictionary["b"] as? [String: Bool]) == ["c": true])
    #expect(try value([Int].self, of: promise("[1,2,3]")) == [1, 2, 3])
    #expect(try value([String: [Double]].self, of: promise(#"{"k":[0.5]}"#)) == ["k": [0.5]])
    #expect(try value([Int].self, of: promise(#"[1,"x"]"#)) == nil)
  }

  @Test("a value without a kind in C is returned unchanged")
  func objects() throws {
    final class Thing: Sendable {}
    let thing = Thing()
    let reason: [Any] = [thing, 7 as UInt8, [1, 2] as [Int], Int?.none as Any]
    let back = try #require(Promise<Void>.reject(reason).rejectReason as? [Any])
    #expect(back[0] as? Thing === thing)
    #expect(back[1] as? UInt8 == 7)
    #expect(type(of: back[1]) == UInt8.self)
    #expect(type(of: back[2]) == [Int].self)
    #expect(type(of: back[3]) == Int?.self)
  }

  @Test("collections that are nested too deep for Swift stay unchanged")
  func depth() throws {
    let levels = 100_000
    let json = String(repeating: "[", count: levels) + String(repeating: "]", count: levels)
    var inner: Any? = try value([Any].self, of: promise(json, depth: UInt32(levels)))
    while let array = inner as? [Any] { inner = array.first }
    #expect((inner as? ForeignObject)?.typeName == "array")

    var nested: [Any] = []
    for _ in 0..<1000 { nested = [nested] }
    var count = 0
    inner = Promise<Void>.reject(nested).rejectReason
    while let array = inner as? [Any] { (inner, count) = (array.first, count + 1) }
    #expect(count == 1001)
  }

  @Test("an error keeps its origin and its causes, both ways")
  func errors() throws {
    let root = PromiseError(domain: "errno", code: 2, message: "no such file", origin: "open")
    let middle = PromiseError(domain: "config", code: 1, message: "not read")
    let error = PromiseError(
      domain: "app", code: 7, message: "did not start", origin: "main.swift:1", causes: [middle, root])
    #expect(Promise<Void>.reject(error).rejectReason as? PromiseError == error)
    #expect(
      error.description
        == "did not start (app 7), because of: not read (config 1), because of: no such file (errno 2)")
    #expect(
      try json(Promise<Void>.reject(error)) == """
        {"domain":"app","code":7,"message":"did not start","origin":"main.swift:1","cause":{"domain":"config","code":1,\
        "message":"not read","cause":{"domain":"errno","code":2,"message":"no such file","origin":"open"}}}
        """)
  }
}
