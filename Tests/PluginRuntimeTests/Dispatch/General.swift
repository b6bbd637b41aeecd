import CPromise
import Glibc
import PluginRuntime
import Promises
import Testing

@Suite("Calls: out parameters, arrays, structs and objects")
struct General: CallsPlugin {
  static let plugin = "test.dispatch"
  let host: Host

  init() throws { host = try .loading("dispatch") }

  @Test("the out parameters and the result of a function are one object")
  func outputs() async {
    #expect(await json("split", "[10]") == #"{"result":0.625,"exponent":4}"#)
    #expect(await json("swap", #"[{"a": 1, "b": 2}]"#) == #"{"pair":{"a":2,"b":1}}"#)
  }

  @Test("counts are filled in, and say how much was written")
  func counts() async {
    #expect(await json("sum_bytes", #"{"data": [1, 2, 250]}"#) == "254")
    #expect(await json("copy", #"[4, "abc"]"#) == #"{"to":"YWJj","room":3}"#)
    #expect(await json("agree", "[[1, 2], [1, 2]]") == "true")
    #expect(await json("read_some", "[2, 8]") == #"{"result":2,"to":"AAA="}"#)
    #expect(await outcome("read_some", json: "[-1, 8]").promiseError?.code == 9)
    #expect(await message("reads_too_much", "[3]").contains("returned 'to' that has 4 elements, expected at most 3"))
    // The output is far larger than a block of the call's memory.
    let filled = await host.outcome("fill", of: "test.dispatch", [.value(.int(1 << 20))]).value
    #expect(filled?[member: "to"] == .bytes(Array(repeating: 7, count: 1 << 20)))
    let name = await json("host_name", "[]")
    #expect(name.hasPrefix(#"{"result":0,"name":""#), "\(name)")
  }

  @Test("a count that does not fit or agree, and one that lies, are errors that name the argument")
  func badCounts() async {
    let many = "[\((0..<300).map { _ in "0" }.joined(separator: ","))]"
    #expect(
      await message("sum_bytes", "{\"data\": \(many)}").contains("'data' has 300 elements, more than its count 'size'"))
    #expect(await message("agree", "[[1, 2], [1]]").contains("'right' has 1 elements, expected as many as 'left', 2"))
    #expect(await message("overrun", "[3]").contains("returned 'to' that has 4 elements, expected at most 3"))
    #expect(await message("fill", "[-1]").contains("argument 'room' is out of range, expected a number of elements of"))
  }

  @Test("a rule after ! makes failures of results, with errno, the code, and the function's message")
  func failures() async {
    #expect(await json("fails_with", "[0]") == "7")
    let error = await outcome("fails_with", json: "[2]").promiseError
    #expect(error?.domain == "errno")
    #expect(error?.code == 2)
    #expect(error?.message == "fails_with: No such file or directory")
    let code = await outcome("copy", json: #"[2, "abc"]"#).promiseError
    #expect(code?.domain == "test.dispatch")
    #expect(code?.code == -5)
    #expect(code?.message == "copy returned -5")
    #expect(await outcome("duplicate", json: #"[""]"#).promiseError?.message == "duplicate returned NULL")
    #expect(await outcome("run", json: #"["bad"]"#).promiseError?.message == #"run returned 1: near "bad""#)
    #expect(await json("run", #"["good"]"#) == #"{"message":null}"#)
    #expect(await json("living", "[]") == "0")
  }

  @Test("errno is as the function left it when a binary call returns")
  func errorNumber() throws {
    let function = try host.function("sets_errno", of: "test.dispatch")
    var result = promise_value_t()
    for code in [Int64(5), 0] {
      var argument = promise_value_t()
      argument.kind = promise_kind_t(PROMISE_KIND_I64)
      argument.as.i64 = code
      errno = 99
      function.invoke(&argument, count: 1, into: &result)
      #expect(errno == Int32(code))
    }
  }

  @Test("slices of structs, and structs with fields of every type, are passed and returned")
  func structs() async {
    #expect(await json("centroid", #"[[{"x": 1, "y": 2}, {"y": 4, "x": 3}]]"#) == #"{"x":2.0,"y":3.0}"#)
    #expect(await json("centroid", "[[]]") == #"{"x":0.0,"y":0.0}"#)
    #expect(
      await json("older", #"[{"name": "é", "tags": ["a", "b"], "age": 41}]"#)
        == #"{"name":"somebody","tags":["grown"],"age":42}"#)
    #expect(await json("older", #"[{"name": "", "tags": []}]"#) == #"{"name":"somebody","tags":[],"age":null}"#)
    #expect(await json("length_of", #"[{"x": 1, "y": 2}]"#) == "3.0")
    #expect(await json("middle", #"[{"x": 1, "y": 2}, {"x": 3, "y": 4}]"#) == #"{"x":2.0,"y":3.0}"#)
    #expect(await json("bytes_of", "[[]]") == #"{"result":"","points":[]}"#)
  }

  @Test("texts and bytes in a struct arrive as they are")
  func contents() async {
    let page = PluginValue.object([
      PluginMember("name", .string("né")), PluginMember("title", .string("tit")),
      PluginMember("data", .bytes([0, 255, 7])),
    ])
    let joined = await host.outcome("joined", of: "test.dispatch", [.value(page)]).value
    #expect(joined == .bytes(Array("nétit".utf8) + [0, 255, 7]))
  }

  @Test(
    "an argument that does not fit is named down to the element",
    arguments: [
      ("centroid", #"[[{"x": 1, "y": 2}, {"x": "a", "y": 2}]]"#, #"'points[1].x' is "a", expected a number"#),
      ("centroid", #"[[{"x": 1}]]"#, "'points[0].y' is missing"),
      ("centroid", "[3]", "'points' is 3, expected an array"),
      ("centroid", #"[[{"x": 1, "y": 2, "z": 3}]]"#, "'points[0].z' is not a field, expected x, y"),
      ("centroid", #"[[{"x": 1, "y": 1e999}]]"#, "'points[0].y' is 1e999"),
      ("centroid", #"[[{"x": 1, "y": 9007199254740993}]]"#, "'points[0].y' is 9007199254740993"),
      ("older", #"[{"name": "", "tags": ["a\u0000"], "age": 1}]"#, "'person.tags[0]' contains a NUL"),
      ("older", #"[{"name": "", "tags": [], "age": 256}]"#, "'person.age' is 256, expected an integer from 0 to 255"),
      ("swap", #"[{"a": 2147483648, "b": 0}]"#, "'pair.a' is 2147483648"),
      ("total", #"["i", true]"#, "'rest[0]' is true, expected an integer"),
      ("total", #"["i", [1]]"#, "'rest[0]'"), ("later", #"[[1], ["a"]]"#, "'ignored' has 1 elements, expected 2"),
      ("name_of", #"["0x"]"#, #"'item' is "0x", expected an address"#), ("wide", "[1]", "lacks the argument 'b'"),
    ])
  func mismatches(_ function: String, _ arguments: String, _ expected: String) async {
    let message = await message(function, arguments)
    #expect(message.contains(expected), "\(message)")
  }

  @Test("values are checked as JSON is")
  func values() async {
    let point = PluginValue.object([PluginMember("x", .double(1)), PluginMember("y", .int(2))])
    let call = await host.outcome(
      "centroid", of: "test.dispatch",
      [.value(.array([point, .object([PluginMember("x", .bool(true)), PluginMember("y", .int(0))])]))])
    #expect(call.pluginError?.message == "argument 'points[1].x' is true, expected a number that an f64 can hold")
    let twice = PluginValue.object([PluginMember("a", .int(1)), PluginMember("b", .int(2)), PluginMember("a", .int(1))])
    let error = await host.outcome("swap", of: "test.dispatch", [.value(twice)]).pluginError
    #expect(error?.message == "argument 'pair' has a field twice, expected a, b")
    let tags = PluginValue.array([.string("fine"), .string("a\0b")])
    let person = PluginValue.object([PluginMember("name", .string("")), PluginMember("tags", tags)])
    let cut = await host.outcome("older", of: "test.dispatch", [.value(person)]).pluginError
    #expect(cut?.message == "argument 'person.tags[1]' contains a NUL, which would end the cstr")
    for texts in [["a"], ["a", "b", "c"]] {
      let array = PluginValue.array(texts.map { .string($0) })
      let error = await host.outcome("later", of: "test.dispatch", [.value(.array([])), .value(array)]).pluginError
      #expect(error?.message == "argument 'ignored' has \(texts.count) elements, expected 2")
    }
  }

  @Test("a result that does not suit the signature is named down to the field")
  func badResults() async {
    #expect(await message("nobody", "[]").contains("returned 'result.name' that is not UTF-8"))
    #expect(await message("maybe", "[2]").contains("returned 2, which is neither false, 0, nor true, 1"))
    #expect(await message("find_some", #"["three"]"#).contains("returned NULL, expected ptr<item>"))
  }

  @Test("optionals are NULL for nothing, and may be left out")
  func optionals() async {
    #expect(await json("greet", #"["ab", 3]"#) == #""ababab""#)
    #expect(await json("greet", #"["ab"]"#) == #""ab""#)
    #expect(await json("greet", #"{"times": 2}"#) == "null")
    #expect(await json("find", #"["three"]"#) == "null")
    #expect(await json("name_of", "[]") == #""none""#)
  }

  @Test("addresses keep the name that the signature gives them")
  func pointers() async throws {
    let item = try #require(await host.outcome("find", of: "test.dispatch", [.text("two")]).value)
    #expect(await host.outcome("name_of", of: "test.dispatch", [.value(item)]).value == .string("two"))
    let error = await host.outcome("name_of_other", of: "test.dispatch", [.value(item)]).pluginError
    #expect(error?.message == "argument 'item' is an address of a item, expected an address of a other")
  }

  @Test("a field of a struct that is an address has the name that the signature gives it, and is not NULL")
  func pointersInStructs() async throws {
    func name(in item: PluginValue) async -> Outcome {
      await host.outcome("name_in", of: "test.dispatch", [.value(.object([PluginMember("item", item)]))])
    }
    let item = try #require(await host.outcome("find", of: "test.dispatch", [.text("two")]).value)
    guard case .pointer(let pointer) = item else {
      Issue.record("\(item)")
      return
    }
    #expect(await name(in: item).value == .string("two"))
    for other in [PluginPointer(name: "other", address: pointer.address), PluginPointer(name: "item", address: 0)] {
      let error = await name(in: .pointer(other)).pluginError
      #expect(error?.kind == .badArgument)
      #expect(error?.message.hasPrefix("argument 'holder.item' is ") == true, "\(String(describing: error))")
    }
  }

  @Test("a result that is given away is freed by the function that the signature names")
  func releases() async {
    #expect(await json("duplicate", #"["text"]"#) == #""text""#)
    #expect(await json("living", "[]") == "0")
  }

  @Test("a result beside an out parameter that is wrong is freed too", arguments: ["botched", "botched_maybe"])
  func releasesUnused(_ function: String) async {
    #expect(await message(function, "[]").contains("returned 'text' that is not UTF-8"))
    #expect(await json("living", "[]") == "0")
  }

  @Test("an argument that the function would own is freed if it is not called")
  func takesBack() async {
    // Other tests make millions of promises, whose memory stays.
    await #expect(processExitsWith: .success) {
      let types = try Host.loading("types")
      let large = PluginValue.bytes(Array(repeating: 1, count: 1 << 20))
      let before = try residentBytes()
      for _ in 0..<256 {
        let error = await types.outcome("consume", of: "test.types", [.value(large), .value(.int(1))]).pluginError
        #expect(error?.kind == .badArgument)
      }
      // If nothing was freed, it would grow by 256 MiB.
      #expect(try residentBytes() < before + (128 << 20))
    }
  }

  @Test("the arguments of a tail go by position or by its name, each as the first type that takes it")
  func tail() async {
    #expect(await json("total", #"["ild", 1, 4294967296, 0.5]"#) == "4294967297.5")
    #expect(await json("total", #"{"format": "id", "rest": [1, 0.5]}"#) == "1.5")
    #expect(
      await host.outcome("total", of: "test.dispatch", [.text("di"), .text("0.25"), .text("3")]).value == .double(3.25))
    #expect(await json("total", #"[""]"#) == "0.0")
  }

  @Test("a parameter or result of type value is of any kind, and an error that a function returns is the rejection")
  func anything() async {
    #expect(await json("same", "[3]") == "3")
    #expect(await json("give", #"["x"]"#) == #"{"given":"x"}"#)
    #expect(await json("give", "[3]") == #"{"given":null}"#)
    #expect(await json("same", #"[{"a": [1, null, "x"]}]"#) == #"{"a":[1,null,"x"]}"#)
    let error = await outcome("raise", json: #"[{"domain": "here", "code": 3, "message": "why"}]"#).promiseError
    #expect(error == PromiseError(domain: "here", code: 3, message: "why"))
  }

  @Test("objects that a promise keeps in use live until it is settled")
  func lending() async {
    let arguments: [Argument] = [.text("[1.5, 2]"), .text(#"["a", "b"]"#)]
    let call = host.call("later", of: "test.dispatch", arguments)
    #expect(call.state == .pending)
    // Many allocations that would reuse the slice's memory, if it were freed.
    for _ in 0..<50 { _ = await json("centroid", #"[[{"x": 9, "y": 9}, {"x": 9, "y": 9}]]"#) }
    _ = await json("go", "[]")
    #expect(await call.outcome().value?.json == #"{"x":3.5,"y":2.0}"#)
  }

  @Test("a callback may be a C function's address")
  func callbackAddress() async throws {
    let function = try host.function("apply", of: "test.dispatch")
    let negation = try host.function("negation", of: "test.dispatch")
    var arguments = [promise_value_t(), promise_value_t()]
    negation.invoke(nil, count: 0, into: &arguments[0])
    arguments[1].kind = promise_kind_t(PROMISE_KIND_I64)
    arguments[1].as.i64 = 5
    var result = promise_value_t()
    function.invoke(arguments, count: 2, into: &result)
    #expect(result.as.i64 == -5)
    #expect(await json("apply", #"{"value": 1}"#) == "-1")
  }
}
