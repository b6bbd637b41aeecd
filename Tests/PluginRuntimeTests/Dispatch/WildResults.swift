import PluginRuntime
import Testing

@Suite("Calls: results that no signature allows")
struct WildResults {
  @Test(
    "a result that its signature does not allow is an error, and is not read further",
    arguments: [
      ("wild_bool", "returned 2, which is neither false, 0, nor true, 1, expected bool"),
      ("wild_out", "returned 255, which is neither false, 0, nor true, 1, expected bool"),
      ("endless_str", "returned a length beyond the size of memory, expected str"),
      ("endless_bytes", "returned a length beyond the size of memory, expected bytes"),
      ("null_bytes", "returned NULL, expected bytes"),
      ("wild_promise", "returned a promise that does not exist, or no promise, expected promise<i32>"),
    ])
  func results(_ function: String, _ message: String) async throws {
    let error = await (try Host.loading("wild")).outcome(function, of: "test.wild").pluginError
    #expect(error?.kind == .badResult)
    #expect(error?.description == "test.wild.\(function): \(message), as its signature says")
  }

  @Test(
    "a part of a result that its signature does not allow is an error, and is not read further",
    arguments: [("negative_part", "18446744073709551615"), ("endless_part", "9223372036854775807")])
  func parts(_ function: String, _ length: String) async throws {
    let error = await (try Host.loading("wild")).outcome(function, of: "test.wild").pluginError
    #expect(error?.kind == .badResult)
    #expect(error?.message.contains("'result.text' that has a length of \(length), beyond the size of memory") == true)
  }

  @Test("a field that C sets to no value of its type is an error that names the field")
  func fields() async throws {
    let host = try Host.adopting(
      """
      struct part { unsigned char is_on; const char *data; unsigned long length; };
      struct part part(int is_on, unsigned long length) {
        return (struct part){(unsigned char)is_on, 0, length};
      }
      """, "part(is_on: i32, length: usize) -> {is_on: bool, text: str}")
    for (arguments, message) in [
      ([2, 0], "'result.is_on' that is 2, expected false or true, which are 0 and 1 in C"),
      ([1, 3], "'result.text' that is NULL, expected a string"),
    ] as [([Int64], String)] {
      let error = await host.outcome("part", of: "test.code", arguments.map { .value(.int($0)) }).pluginError
      #expect(error?.kind == .badResult && error?.message.contains(message) == true, "\(String(describing: error))")
    }
    let whole = try await host.value("part", .value(.int(1)), .value(.int(0)))
    #expect(whole == .object([PluginMember("is_on", .bool(true)), PluginMember("text", .string(""))]))
  }

  @Test(
    "a value with a part for C alone, too deep or not well-formed is an error that names the part",
    arguments: [
      ("forged", [], "'result' that is not a well-formed promise_value_t"),
      ("discarded", [], "'result' that is a value of type discarded"),
      ("listed_address", [], "'result[1]' that is a value of type pointer"),
      ("listed_promise", [], "'result[1]' that is a value of type promise"),
      ("nested", [.int(100_000)], "that is nested deeper than 128 levels"),
      ("nested_maps", [.int(100_000)], "that is nested deeper than 128 levels"),
      ("nested_later", [.int(100_000)], "that is nested deeper than 128 levels"),
    ] as [(String, [PluginValue], String)])
  func values(_ function: String, _ arguments: [PluginValue], _ message: String) async throws {
    let host = try Host.loading("wild")
    let error = await host.outcome(function, of: "test.wild", arguments.map { .value($0) }).pluginError
    #expect(error?.kind == .badResult)
    #expect(error?.message.contains(message) == true, "\(error?.message ?? "no error")")
  }

  @Test("an error in a value is an object, and levels up to the limit are kept")
  func partsOfValues() async throws {
    let host = try Host.loading("wild")
    let error: PluginValue = .object([
      PluginMember("domain", .string("test")), PluginMember("code", .int(3)),
      PluginMember("message", .string("broken")),
    ])
    #expect(await host.outcome("listed_error", of: "test.wild").value == .array([.int(7), error]))
    let maps = await host.outcome("nested_maps", of: "test.wild", [.value(.int(128))]).value
    #expect(maps?.json == String(repeating: #"{"k":"#, count: 128) + "7" + String(repeating: "}", count: 128))
    for function in ["nested", "nested_later"] {
      let value = await host.outcome(function, of: "test.wild", [.value(.int(128))]).value
      #expect(value?.json == String(repeating: "[", count: 128) + "7" + String(repeating: "]", count: 128))
    }
  }
}
