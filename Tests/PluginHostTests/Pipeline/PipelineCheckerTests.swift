import Testing

@testable import PluginRuntime
@testable import plugin_host

@Suite struct PipelineCheckerTests {
  private func plugin(_ id: String, _ signatures: String...) throws -> PluginDescription {
    PluginDescription(
      path: "/\(id).so", id: id, version: "1", description: nil, required: [], abi: 1...1,
      functions: try signatures.map {
        FunctionDescription(signature: try Signature(parsing: $0), description: nil)
      })
  }

  private func plugins() throws -> [PluginDescription] {
    [
      try plugin(
        "org.example.p", "pack(data: bytes, level: i32 = 6) -> own bytes !", "sum(data: bytes) -> str",
        "log(text: str)", "big() -> promise<u64>", "half(x: f64, on: bool = true) -> f64",
        "later(x: promise<bytes>) -> bool",
        "box(p: {x: f64, y: i32}, n: value? = null) -> {x: f64, y: i32}",
        "total(xs: &[f64], of: [i8; 2]? = null) -> f64", "visit(path: cstr?, mode: i32?, f: fn()? = null)"),
      try plugin("org.one.twin", "f()"), try plugin("org.two.twin", "f()"), try plugin("org.example.bare"),
    ]
  }

  private func plan(_ steps: String, set: String = "{}", result: String? = nil) throws -> PipelinePlan {
    let file = source(
      "steps:\n\(steps)\nplugins: []\nset: \(set)\n" + (result.map { "result: \($0)\n" } ?? ""))
    let pipeline = try PipelineReader.read(file)
    var mistakes: [Mistake] = []
    let variables = try Variables.values(of: pipeline, given: [], mistakes: &mistakes)
    let graph = StepGraph(pipeline.steps, mistakes: &mistakes)
    guard mistakes.isEmpty else { throw FileMistakes(files: [file], mistakes: mistakes) }
    return try PipelineChecker.check(pipeline, in: [file], graph: graph, plugins: plugins(), variables: variables)
  }

  @Test("the texts of all steps share the limit of expanded variables")
  func textsAreBounded() throws {
    let long = "{v: \(String(repeating: "x", count: 1 << 20))}"
    let text = "${v} " + String(repeating: "${v}", count: 15)
    let steps = (0..<5).map { "  s\($0): {call: p.log, with: {text: '\(text)'}}" }
    _ = try plan(steps[..<3].joined(separator: "\n"), set: long)
    let mistakes = mistakes { _ = try plan(steps.joined(separator: "\n"), set: long) }
    #expect(mistakes.count == 2 && mistakes[0].hasPrefix("5:34: with the values of its variables"), "\(mistakes)")
  }

  @Test func plansAValidPipeline() throws {
    let plan = try plan(
      """
        a: {call: p.pack, with: {data: "@${f}", level: -1}, timeout: 2}
        b: {call: org.example.p.sum, with: {data: {step: a}}, rescue: {value: "${f}"}}
        c: {call: p.log, with: {text: {step: a}}, after: b, rescue: {value: null}}
        d: {call: p.half, with: {x: {step: e}}, rescue: {call: p.half, with: {x: 1}}}
        e: {call: p.big, rescue: {value: 0x10}}
        g: {call: p.later, with: {x: {step: b}}}
      """, set: "{f: file}", result: "d")
    #expect(plan.steps.map(\.name) == ["a", "b", "c", "d", "e", "g"])
    #expect(plan.steps.map(\.call.label) == ["p.pack", "p.sum", "p.log", "p.half", "p.big", "p.later"])
    #expect(plan.steps.map(\.inputs) == [[], [0], [0, 1], [4], [], [1]])
    #expect(plan.result.steps == [3])
    #expect(plan.steps[0].call.timeout == 2)
    #expect(plan.steps[0].call.arguments.map(\.parameter.name) == ["data", "level"])
    guard case .file(let data) = plan.steps[0].call.arguments[0].input, case .text(let path)? = data.first,
      case .text(let level) = plan.steps[0].call.arguments[1].input,
      case .value(let sum) = plan.steps[1].rescue, case .value(let big) = plan.steps[4].rescue,
      case .value(let nothing) = plan.steps[2].rescue
    else {
      Issue.record("\(plan)")
      return
    }
    #expect(data.count == 1 && path == "file")
    #expect(level == "-1")
    #expect(sum == .string("file"))
    #expect(big == .uint(16))
    #expect(nothing == .void)
  }

  @Test func theLastStepIsTheResult() throws {
    #expect(try plan("  a: {call: p.big}\n  b: {call: p.big}").result.steps == [1])
  }

  @Test(arguments: [
    ("a: {call: x.f}", "2:13: \"plugins\" does not list \"x\""),
    ("a: {call: brae.f}", "2:13: \"plugins\" does not list \"brae\"; did you mean \"bare\"?"),
    ("a: {call: twin.f}", "2:13: \"twin\" may be org.one.twin or org.two.twin; write the whole id"),
    ("a: {call: bare.f}", "2:13: org.example.bare has no function \"f\"; it has none"),
    ("a: {call: org.one.twin.g}", "2:13: org.one.twin has no function \"g\"; it has f"),
    ("a: {call: p.pakc, with: {data: x}}", "2:13: org.example.p has no function \"pakc\"; did you mean \"pack\"?"),
    ("a: {call: p.sum}", "2:13: the parameter \"data\" is missing; it is sum(data: bytes) -> str"),
    ("a: {call: p.sum, with: {x: x, data: y}}", "2:27: sum has no parameter \"x\"; it is sum(data: bytes) -> str"),
    (
      "a: {call: p.sum, with: {dta: x, data: y}}",
      "2:27: sum has no parameter \"dta\"; did you mean \"data\"?"
    ),
    (
      "a: {call: p.pack, with: {data: x, level: nine}}",
      "2:44: \"level\" is \"nine\", expected an integer from -2147483648 to 2147483647"
    ),
    ("a: {call: p.half, with: {x: 1, on: 2}}", "2:38: \"on\" is \"2\", expected true or false"),
    ("a: {call: p.log, with: {text: \"${x}\"}}", "2:33: no variable is named \"x\"; \"set\" declares them"),
    ("a: {call: p.log, with: {text: \"@${x}\"}}", "2:33: no variable is named \"x\"; \"set\" declares them"),
    (
      "a: {call: p.half, with: {x: \"@-\", on: \"@-\"}}",
      "2:41: standard input can be read once; line 2 reads it"
    ),
    (
      "a: {call: p.big, rescue: {value: -1}}",
      "2:36: \"value\" is \"-1\", expected an integer from 0 to 18446744073709551615"
    ),
    ("a: {call: p.big, rescue: {value: }}", "2:36: \"value\" is null, expected a promise<u64>"),
    ("a: {call: p.log, with: {text: x}, rescue: {value: 1}}", "2:53: log returns nothing: the value can only be null"),
    (
      "a: {call: p.big, rescue: {call: p.sum, with: {data: x}}}",
      "2:35: sum cannot stand in: it returns str, but big returns promise<u64>"
    ),
    (
      "a: {call: p.big, rescue: {call: p.nope}}",
      "2:35: org.example.p has no function \"nope\"; it has pack, sum, log, big, half, later, box, total, visit"
    ),
  ])
  func reports(step: String, expected: String) {
    #expect(mistakes { _ = try plan("  " + step) } == [expected])
  }

  @Test(arguments: [
    (
      "p.half, with: {x: {step: a}}", "p.log, with: {text: x}",
      "the step \"a\" has no result; use \"after\" to run after it"
    ),
    ("p.half, with: {x: {step: a}}", "p.sum, with: {data: x}", "\"x\" is f64, but the step \"a\" returns str"),
    (
      "p.pack, with: {data: x, level: {step: a}}", "p.half, with: {x: 1}",
      "\"level\" is i32, but the step \"a\" returns f64"
    ),
    ("p.pack, with: {data: {step: a}}", "p.big", "\"data\" is bytes, but the step \"a\" returns promise<u64>"),
    ("p.later, with: {x: {step: a}}", "p.big", "\"x\" is promise<bytes>, but the step \"a\" returns promise<u64>"),
  ])
  func comparesTypes(user: String, source: String, message: String) {
    let found = mistakes { _ = try plan("  b: {call: \(user)}\n  a: {call: \(source)}") }
    #expect(found.count == 1)
    #expect(found.first?.hasPrefix("2:") == true && found.first?.hasSuffix(": \(message)") == true, "\(found)")
  }

  @Test(arguments: [
    (
      "p.half, with: {x: {step: a, get: y}}", "\"y\" of the step \"a\": it is f64, which has no part \"y\"",
      "p.half, with: {x: 1}"
    ),
    (
      "p.half, with: {x: {step: a, get: z}}", "\"z\" of the step \"a\": it has no \"z\"; it has x, y",
      "p.box, with: {p: {x: 1, y: 2}}"
    ),
    (
      "p.half, with: {x: 1, on: {step: a, get: y}}", "\"on\" is bool, but the step \"a\"'s y is i32",
      "p.box, with: {p: {x: 1, y: 2}}"
    ),
    (
      "p.log, with: {text: \"a ${steps.a}\"}", "the step \"a\" has no result; use \"after\" to run after it",
      "p.log, with: {text: x}"
    ),
    ("p.half, with: {x: 1, on: \"${steps.a}\"}", "\"on\" is bool, but the step \"a\" returns promise<u64>", "p.big"),
    (
      "p.total, with: {xs: [1, {step: a}]}", "\"xs[1]\" is f64, but the step \"a\" returns {x: f64, y: i32}",
      "p.box, with: {p: {x: 1, y: 2}}"
    ),
  ])
  func checksParts(user: String, message: String, source: String) {
    let found = mistakes { _ = try plan("  b: {call: \(user)}\n  a: {call: \(source)}") }
    #expect(found.count == 1)
    #expect(found.first?.hasPrefix("2:") == true && found.first?.hasSuffix(": \(message)") == true, "\(found)")
  }

  @Test(arguments: [
    "p.half, with: {x: {step: a, get: x}}", "p.log, with: {text: \"${steps.a.y} ${steps.a}\"}",
    "p.pack, with: {data: \"${steps.a}\", level: \"${steps.a.y}\"}", "p.total, with: {xs: [\"${steps.a.x}\", 2]}",
    "p.box, with: {p: {step: a}, n: {a: [1, {step: a}], b: \"@f\"}}",
  ])
  func takesParts(user: String) throws {
    _ = try plan("  b: {call: \(user)}\n  a: {call: p.box, with: {p: {y: 2, x: 1}}}")
  }

  @Test(arguments: ["path: null", "path: ~, mode: null", "path: , mode: , f: null", "mode: 5"])
  func nullIsAnOptionalArgumentThatIsAbsent(arguments: String) throws {
    _ = try plan("  a: {call: p.visit, with: {\(arguments)}}")
  }

  @Test(arguments: [
    ("p.log, with: {text: }", "2:33: \"text\" is null, expected a string; write \"\" for an empty text"),
    ("p.half, with: {x: null}", "2:31: \"x\" is null, expected a number that an f64 can hold"),
    (
      "p.sum, with: {data: {a: 1}}",
      "2:33: \"data\" is a mapping, expected bytes; {step: NAME} is another step's result"
    ),
    ("p.half, with: {x: [1]}", "2:31: \"x\" is a list, expected a number that an f64 can hold"),
    ("p.total, with: {xs: [1, x]}", "2:37: \"xs[1]\" is \"x\", expected a number that an f64 can hold"),
    ("p.total, with: {xs: [], of: [1]}", "2:41: \"of\" has 1 elements, expected 2"),
    ("p.total, with: {xs: [], of: [1, 300]}", "2:45: \"of[1]\" is \"300\", expected an integer from -128 to 127"),
    ("p.box, with: {p: {x: 1, y: ~}}", "2:40: \"p.y\" is null, expected an integer from -2147483648 to 2147483647"),
    ("p.box, with: {p: {x: 1}}", "2:30: \"p.y\" is missing, expected an integer from -2147483648 to 2147483647"),
    ("p.box, with: {p: {x: 1, y: 2, zz: 3}}", "2:43: \"p\" has no field \"zz\"; it has x, y"),
  ])
  func checksListsAndMappings(call: String, expected: String) {
    #expect(mistakes { _ = try plan("  a: {call: \(call)}") } == [expected])
  }

  @Test func comparesTypesOfACallThatStandsIn() throws {
    let found = mistakes {
      _ = try plan(
        "  b: {call: p.half, with: {x: 1}, rescue: {call: p.half, with: {x: {step: a}}}}\n"
          + "  a: {call: p.sum, with: {data: x}}")
    }
    #expect(found.count == 1)
    #expect(found.first?.hasSuffix(": \"x\" is f64, but the step \"a\" returns str") == true, "\(found)")
  }

  @Test func aListHasElementsAndNoNames() throws {
    let each = "  a: {call: p.box, each: [1, 2], with: {p: {x: 1, y: 2}}}\n"
    _ = try plan(each + "  b: {call: p.half, with: {x: \"${steps.a.1.x}\"}}")
    _ = try plan(each + "  b: {call: p.half, with: {x: \"${steps.a[1].x}\"}}")
    let found = mistakes { _ = try plan(each + "  b: {call: p.half, with: {x: \"${steps.a.x}\"}}") }
    #expect(found.count == 1)
    #expect(found.first?.contains("it is a list of {x: f64, y: i32}, which has no part") == true, "\(found)")
  }

  @Test(arguments: [
    #"{function: org.one.twin.f, expression: "1"}"#, #"{expression: "1", function: org.one.twin.f}"#, "{}",
    "{other: 1}",
  ])
  func aCallbackIsOneFunctionOrOneExpression(callback: String) {
    let found = mistakes { _ = try plan("  a: {call: p.visit, with: {path: x, mode: 1, f: \(callback)}}") }
    #expect(found.count == 1 && found.first?.contains("\"f\"") == true, "\(found)")
  }

  @Test func checksTheConfiguration() throws {
    let text =
      "plugins: []\nset: {v: 1}\nconfig: {p: {a: \"${v}\"}, q: {b: 2}, bare: {c: \"${w}\"}}\nsteps: {a: {call: p.big}}"
    let pipeline = try PipelineReader.read(source(text))
    var none: [Mistake] = []
    let graph = StepGraph(pipeline.steps, mistakes: &none)
    let found = mistakes {
      _ = try PipelineChecker.check(
        pipeline, in: [source(text)], graph: graph, plugins: try plugins(), variables: ["v": "1"])
    }
    #expect(
      found == [
        "3:26: \"plugins\" does not list \"q\"", "3:47: no variable is named \"w\"; \"set\" declares them",
      ])
  }

  @Test func reportsAnUnknownResult() {
    let found = mistakes { _ = try plan("  big: {call: p.big}", result: "bgi") }
    #expect(found == ["5:9: no step is named \"bgi\"; did you mean \"big\"?"])
  }

  @Test func reportsAllMistakesAtOnce() {
    let found = mistakes { _ = try plan("  a: {call: x.f}\n  b: {call: p.sum, with: {x: 1}}\n  c: {call: p.f}") }
    #expect(found.count == 4)
  }
}
