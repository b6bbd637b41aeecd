import Testing

extension EndToEnd {
  /// Scalars without quotes where any value is taken: by the core schema of YAML 1.2.
  @Suite struct PlainScalarTests {
    @Test(arguments: [
      ("0.0, 9.0, 1e1, 0e0", "[0.0,9.0,10.0,0.0]"), ("7, -7, 18446744073709551615", "[7,-7,18446744073709551615]"),
      ("true, True, FALSE, false", "[true,true,false,false]"), ("~, null, Null", "[null,null,null]"),
      ("inf, nan, x, yes, '1', \"true\"", #"["inf","nan","x","yes","1","true"]"#),
    ])
    func haveTheirTypes(list: String, json: String) throws {
      let file = try PipelineFile("plugins: [kinds]\nsteps:\n  a: {call: kinds.anything, with: {x: [\(list)]}}\n")
      let ending = try HostProcess.run("run", file.path)
      #expect(ending.text == json + "\n", "\(ending.errors)")
    }

    @Test(arguments: [
      ("anything, with: {x: [1e400]}", "\"x[0]\" is \"1e400\", expected a number that an f64 can hold"),
      ("anything, with: {x: {a: 99999999999999999999}}", "\"x.a\" is \"99999999999999999999\", expected a number"),
      ("number, with: {x: 9007199254740993}", "\"x\" is \"9007199254740993\", expected a number"),
    ])
    func aNumberIsNotRounded(call: String, message: String) throws {
      let file = try PipelineFile("plugins: [kinds]\nsteps:\n  a: {call: kinds.\(call)}\n")
      let ending = try HostProcess.run("run", file.path)
      #expect(ending.errors.contains(message) && ending.status == 64, "\(ending.errors)\(ending.text)")
    }
  }
}
