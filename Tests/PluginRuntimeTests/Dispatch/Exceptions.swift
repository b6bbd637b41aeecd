import PluginRuntime
import Promises
import PromisesTestSupport
import Testing

@Suite("Calls: exceptions")
struct Exceptions: CallsPlugin {
  static let plugin = "test.throwing"
  let host: Host

  init() throws { host = try .loading("throwing") }

  @Test(
    "an exception rejects the call with its type, as C++ writes it, and its what()",
    arguments: [
      ("range", "std::out_of_range", "index 7 of 3"),
      ("own", "shop::sold_out", "no apples"),
      ("plain", "shop::refused", nil),
      ("template", "shop::failure<int>", "of a template"),
      ("text", "char const*", "a literal"),
      ("string", "std::__cxx11::basic_string<char, std::char_traits<char>, std::allocator<char> >", "a string"),
      ("number", "int", "42"), ("long", "unsigned long", "18446744073709551615"), ("small", "signed char", "-3"),
      ("fraction", "double", "2.5"), ("digits", "double", "1234567.25"), ("letter", "char", "c"),
      ("truth", "bool", "true"),
      ("nothing said", "shop::mute", nil),
      ("memory", "std::bad_alloc", "std::bad_alloc"),
      ("pointer", "char const*", nil), ("silent", "std::runtime_error", ""),
    ] as [(String, String, String?)])
  func types(_ what: String, _ type: String, _ message: String?) async {
    let error = await outcome("throws", .string(what)).pluginError
    #expect(error?.kind == .exception(type: type, message: message))
    let rest = message.map { $0.isEmpty ? "" : ": \($0)" } ?? ""
    #expect(error?.description == "test.throwing.throws: threw \(type)\(rest)")
  }

  @Test("an exception of another language rejects the call, and only its class is read")
  func foreign() async {
    for _ in 0..<3 {
      let error = await outcome("throws", .string("foreign")).pluginError
      #expect(error?.kind == .exception(type: nil, message: nil))
      #expect(error?.description == "test.throwing.throws: threw an exception of Rust")
    }
    #expect(await outcome("throws", .string("Eiffel")).pluginError?.message == "threw an exception of EIFF")
    let nameless = await outcome("throws", .string("nameless")).pluginError
    #expect(nameless?.message == "threw an exception of a language other than C++")
    #expect(
      await outcome("throws", .string("range")).pluginError?.kind
        == .exception(type: "std::out_of_range", message: "index 7 of 3"))
  }

  @Test("a call whose result is freed by a function that throws is rejected")
  func freeing() async {
    let error = await outcome("gives").pluginError
    let fault = "returned 'result' that was not freed: throwing_free() threw std::logic_error: in use"
    #expect(error?.message.hasPrefix(fault) == true, "\(String(describing: error))")
  }

  @Test("the objects in the function's frame are destroyed")
  func unwinding() async {
    let before = await outcome("throws", .string("nothing")).value
    _ = await outcome("throws", .string("plain"))
    guard case .int(let count) = before else {
      Issue.record("\(String(describing: before))")
      return
    }
    // Two more: one of the call that read the count, and one of the call that threw.
    #expect(await outcome("throws", .string("nothing")).value == .int(count + 2))
  }

  @Test("a function with ! throws as well: the exception is the reason, not the error that it had left")
  func failing() async {
    let error = await outcome("fails").pluginError
    #expect(error?.kind == .exception(type: "std::runtime_error", message: "after all"))
  }

  @Test("a function that should have returned a promise may throw")
  func promise() async {
    let error = await outcome("makes").pluginError
    #expect(error?.kind == .exception(type: "std::runtime_error", message: "no promise"))
  }

  @Test("a caller in C gets an ERROR whose domain is the type, also while it handles an exception itself")
  func callerInC() async {
    #expect(
      await outcome("within_handler").promiseError
        == PromiseError(
          domain: "std::runtime_error", code: 0, message: "test.throwing.fails: threw std::runtime_error: after all"))
  }

  @Test("a callback of C++ that throws rejects the call that it was passed to")
  func callback() async throws {
    let thrower = try #require(await outcome("thrower").value)
    let error = await outcome("apply", thrower).pluginError
    #expect(error?.kind == .exception(type: "int", message: "7"))
    #expect(error?.subject == "test.throwing.apply")
  }

  @Test("load() that throws refuses; unload() that throws is logged; the entry that throws is an error")
  func lifecycle() async throws {
    let path = try Fixture.plugin("throwing")
    let refusing = Host(Host.Options(configuration: ["test.throwing": ["load": "throw"]]))
    let refusal = #expect(throws: PluginError.self) { try refusing.load(path) }
    #expect(refusal?.kind == .exception(type: "std::logic_error", message: "not today"))
    #expect(refusal?.message == "load() threw std::logic_error: not today")

    let log = Recorder<String>()
    let leaving = try Host.loading("throwing", log: log)
    #expect(leaving.unloadAll() == [])
    #expect(log.events == ["error test.throwing: unload() threw std::logic_error: I stay"])

    let closed = try Fixture.plugin("throwing", ["-DENTRY_THROWS"])
    let error = #expect(throws: PluginError.self) { try Host.inspect(closed) }
    #expect(error?.message == "promise_plugin_entry() threw std::domain_error: nobody is at home")
  }
}
