import PluginRuntime
import Promises
import Testing

@Suite("Calls: the conventions of C libraries for errors and memory")
struct Conventions {
  let host: Host

  init() throws { host = try .loading("conventions") }

  @Test("the message of a failure is the library's own text, by its code, its object or neither")
  func messages() async throws {
    await expect("code", 2, "two is too many", code: 2)
    await expect("negative", -7, "seven, negated", code: -7)
    await expect("step", 2, "two is too many", code: 2)
    await expect("open_store", 4, "code 4 of this store", code: 4)
    await expect("nested", 4, "the parent's text", code: 4)
    let found = await host.outcome("find", of: plugin, [.value(.string(""))]).promiseError
    #expect(found?.message == "the last mistake")
    let arguments: [Argument] = [.value(.string("größe")), .value(.uint(200)), .value(.int(-1 << 40))]
    let detailed = await host.outcome("detailed", of: plugin, arguments).promiseError
    #expect(detailed?.message == "größe 200 -1099511627776 -3")
  }

  @Test("errno is the function's, though the message function changes it; without a text the message is the code")
  func fallbacks() async {
    let error = await host.outcome("errno_code", of: plugin, [.value(.int(-1))]).promiseError
    #expect(error?.domain == "errno")
    #expect(error?.code == 5)
    #expect(error?.message == "another code")
    await expect("silent", 8, "silent returned 8", code: 8)
  }

  @Test("results that a rule with 'unless' lists are results")
  func successes() async {
    for code in [Int64(0), 100, -2] {
      #expect(await host.outcome("step", of: plugin, [.value(.int(code))]).value == .int(code))
    }
    await expect("step", 1, "another code", code: 1)
  }

  @Test("a function of the library says whether a result is a failure", arguments: [false, true])
  func tests(isIsolated: Bool) async throws {
    let worker = isIsolated ? try IsolatedPlugin.loading("conventions") : nil
    func outcome(_ function: String, _ argument: PluginValue) async throws -> Outcome {
      let promise =
        worker?.call(function, [.value(argument)], timeout: nil) ?? host.call(function, of: plugin, [.value(argument)])
      return try await promise.outcomeInTime()
    }
    #expect(try await outcome("sized", .int(100)).value == .uint(100))
    #expect(try await outcome("sized", .int(-120)).value == .uint(UInt64.max - 119))
    let small = try await outcome("sized", .int(-70)).promiseError
    #expect(small == PromiseError(domain: plugin, code: -70, message: "destination buffer is too small"))
    #expect(try await outcome("sized", .int(-3)).promiseError?.message == "sized returned -3")
    for code in [Int64(5), 0, -1] { #expect(try await outcome("judged", .int(code)).value == .int(code)) }
    #expect(try await outcome("judged", .int(6)).promiseError?.message == "another code")
    let store = try await outcome("fill_store", .string("bad")).promiseError
    #expect(store == PromiseError(domain: plugin, code: 0, message: "bad"))
    guard case .object(let members)? = try await outcome("fill_store", .string("good")).value else {
      Issue.record("fill_store() returns no object")
      return
    }
    #expect(members.map(\.name) == ["result", "store"])
  }

  @Test("a GError rejects with its code and message, and is freed once")
  func gerror() async {
    #expect(await host.outcome("fails", of: plugin, [.value(.int(0))]).value == .int(1))
    #expect(await freed == .int(0))
    await expect("fails", -6, "something of the library's", code: -6)
    #expect(await freed == .int(1))
    await expect("fails", 1, "fails stored an error without a message", code: 1)
    #expect(await freed == .int(2))
  }

  @Test("an array that ends with NULL is an array, which is freed")
  func terminated() async {
    #expect(await json("words", .string("a bc é")) == #"["a","bc","é"]"#)
    #expect(await freed == .int(1))
    #expect(await json("fixed") == #"["a","b"]"#)
    #expect(await json("split", .string("a b")) == #"{"list":["a","b"]}"#)
    #expect(await json("split", .string("")) == #"{"list":null}"#)
    #expect(await freed == .int(2))
  }

  @Test("the host appends the NULL or the zero that ends an argument, and refuses one within it")
  func terminatedArguments() async {
    #expect(await json("sum", .array([.int(3), .int(-4)])) == "-1")
    #expect(await json("sum", .array([])) == "0")
    #expect(await json("join", .array([.string("ab"), .string("")])) == "2")
    #expect(await json("join", .array([]), .array([])) == "100")
    // The texts take many blocks of the call's memory.
    #expect(await json("join", .array(Array(repeating: .string("0123456789"), count: 1_000))) == "10000")
    let text = await host.outcome("join", of: plugin, [.text(#"["abc"]"#)]).value
    #expect(text == .int(3))
    let error = await host.outcome("sum", of: plugin, [.value(.array([.int(1), .int(0)]))]).pluginError
    #expect(error?.message == "argument 'numbers[1]' is 0, which ends the array, expected another number")
  }

  @Test("texts that end with NULL cross in structs, by value and by address", arguments: [false, true])
  func terminatedFields(isIsolated: Bool) async throws {
    let worker = isIsolated ? try IsolatedPlugin.loading("conventions") : nil
    func json(_ function: String, _ texts: PluginValue) async throws -> String? {
      let given = PluginValue.object([PluginMember("count", .int(10)), PluginMember("all", texts)])
      let promise =
        worker?.call(function, [.value(given)], timeout: nil) ?? host.call(function, of: plugin, [.value(given)])
      return try await promise.outcomeInTime().value?.json
    }
    let texts = PluginValue.array([.string("a"), .string("bcd"), .string("")])
    #expect(try await json("listing", texts) == #"{"all":["x","yz",""],"count":34}"#)
    #expect(try await json("list_by_address", texts) == #"{"found":{"all":["x","yz",""],"count":34}}"#)
    #expect(try await json("list_by_address", .array([])) == #"{"found":{"all":null,"count":0}}"#)
    #expect(try await json("list_by_address", .void) == #"{"found":{"all":null,"count":0}}"#)
  }

  @Test("memory has the length that another parameter returns, which is not a result itself")
  func counted() async {
    #expect(await host.outcome("digest", of: plugin, [.value(.uint(3))]).value == .bytes([3, 3, 3]))
    #expect(await freed == .int(1))
    #expect(await host.outcome("digest", of: plugin, [.value(.uint(0))]).value == .void)
    #expect(await json("pack", .bytes(Array("müde".utf8))) == #"{"packed":"müde"}"#)
    #expect(await freed == .int(2))
    #expect(await json("row") == "[0.5,1.5]")
    #expect(await json("listed") == #"["x","y"]"#)
    #expect(await freed == .int(3))
  }

  @Test("empty data is a 0, for functions that take a count of 0 for data that ends with one")
  func empty() async {
    #expect(await json("ended", .string(""), .bytes([]), .array([])) == "true")
  }

  @Test("a length that exceeds any memory is an error, and the memory is freed")
  func wild() async {
    let error = await host.outcome("named", of: plugin).pluginError
    #expect(error?.message.contains("has a length of 18446744073709551615, beyond the size of memory") == true)
    #expect(await freed == .int(1))
    let text = await host.outcome("pack", of: plugin, [.value(.bytes([0xFF]))]).pluginError
    #expect(text?.message.contains("returned 'packed' that is not UTF-8") == true)
    #expect(await freed == .int(2))
  }

  private let plugin = "test.conventions"

  private var freed: PluginValue? {
    get async { await host.outcome("count_freed", of: plugin).value }
  }

  private func json(_ function: String, _ arguments: PluginValue...) async -> String? {
    await host.outcome(function, of: plugin, arguments.map { .value($0) }).value?.json
  }

  private func expect(_ function: String, _ argument: Int64, _ message: String, code: Int64) async {
    let error = await host.outcome(function, of: plugin, [.value(.int(argument))]).promiseError
    #expect(error?.message == message, "\(function)")
    #expect(error?.code == code, "\(function)")
    #expect(error?.domain == plugin, "\(function)")
  }
}
