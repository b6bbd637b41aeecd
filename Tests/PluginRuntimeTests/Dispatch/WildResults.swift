import PluginRuntime
import Testing

@Suite("Calls: what no signature allows as a result")
struct WildResults {
  @Test(
    "it is an error that says so, and nothing is read that is not there",
    arguments: [
      ("wild_bool", "returned 2, which is neither false, 0, nor true, 1, expected bool"),
      ("wild_out", "returned 255, which is neither false, 0, nor true, 1, expected bool"),
      ("endless_str", "returned a length that no memory has, expected str"),
      ("endless_bytes", "returned a length that no memory has, expected bytes"),
      ("null_bytes", "returned NULL, expected bytes"),
      ("wild_promise", "returned a promise that does not exist, or no promise, expected promise<i32>"),
    ])
  func results(_ function: String, _ message: String) async throws {
    let error = await (try Host.loading("wild")).outcome(function, of: "test.wild").pluginError
    #expect(error?.kind == .badResult)
    #expect(error?.description == "test.wild.\(function): \(message), as its signature says")
  }

  @Test(
    "nor where it is a part of a result",
    arguments: [("negative_part", "18446744073709551615"), ("endless_part", "9223372036854775807")])
  func parts(_ function: String, _ length: String) async throws {
    let error = await (try Host.loading("wild")).outcome(function, of: "test.wild").pluginError
    #expect(error?.kind == .badResult)
    #expect(error?.message.contains("'result.text' that has a length of \(length), which no memory has") == true)
  }
}
