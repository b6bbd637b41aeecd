import PluginRuntime
import Testing

@Suite("Calls: long doubles")
struct LongDoubleTests {
  let host: Host

  init() throws { host = try .loading("conventions") }

  private func json(_ function: String, _ arguments: Argument...) async -> String? {
    let outcome = await host.outcome(function, of: "test.conventions", arguments)
    return outcome.value?.json ?? outcome.pluginError.map { "\($0)" }
  }

  @Test("long doubles leave the registers to the arguments before and behind them")
  func registers() async {
    let integers = (1...5).map { Argument.value(.int($0)) }
    let rest: [Argument] = [.value(.double(0.5)), .value(.double(1e300)), .value(.int(-1))]
    let all = await host.outcome("wide", of: "test.conventions", integers + rest).value
    #expect(all == .double(1e300))
    let small: [Argument] = [.value(.double(0.5)), .value(.int(100)), .value(.int(-1))]
    #expect(await host.outcome("wide", of: "test.conventions", integers + small).value == .double(114.5))
  }

  @Test("long doubles are fields, elements, and results behind an address")
  func parts() async {
    let scaled = PluginValue.object([.init("times", .int(1)), .init("number", .double(1.5))])
    let by = PluginValue.array([.double(2), .double(-4.25)])
    #expect(
      await json("scale", .value(scaled), .value(by))
        == #"{"result":{"times":2,"number":-3.375},"sum":-2.25}"#)
  }

  @Test("a struct of one long double alone is returned in the register of a long double")
  func alone() async {
    #expect(await json("alone", .value(.double(1.25))) == #"{"inner":{"number":[2.5]}}"#)
  }

  @Test("long doubles are passed to callbacks, and returned by them")
  func callbacks() async {
    let callback = PluginCallback { arguments in
      guard arguments.count == 2, case .int(let times) = arguments[0], case .double(let number) = arguments[1] else {
        return .double(-1)
      }
      return .double(Double(times) * number)
    }
    #expect(await json("apply", Argument(.callback(callback)), .value(.double(0.25))) == "1.75")
  }

  @Test("long doubles take every value of a double")
  func mistakes() async {
    #expect(await json("apply", .value(.void), .value(.string("x")))?.contains("argument") == true)
    #expect(throws: (any Error).self) { try Signature(parsing: "f(x: f64x = yes)") }
    #expect((try? Signature(parsing: "f(x: f64x = 1.5, ...: f64x) -> f64x"))?.description != nil)
  }
}
