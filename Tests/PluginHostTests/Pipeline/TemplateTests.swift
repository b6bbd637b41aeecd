import PluginRuntime
import Testing

@testable import plugin_host

@Suite struct TemplateTests {
  @Test(arguments: [
    ("", ""), ("plain", "plain"), ("${name}", "world"), ("a-${name}-${name}.txt", "a-world-world.txt"),
    ("$$", "$"), ("$${name}", "${name}"), ("costs 5$", "costs 5$"), ("$name", "$name"), ("${empty}x", "x"),
    ("${dollar}{name}", "${name}"),
  ])
  func expands(text: String, expected: String) throws {
    let values = ["name": "world", "empty": "", "dollar": "$"]
    #expect(try Template(parsing: text).expanded(with: values) == expected)
  }

  @Test(arguments: [
    ("${name", "\"${\" without a \"}\" after it: write ${NAME}, and $$ for a dollar sign"),
    ("${}", "\"${}\" does not name a variable; \"${steps.NAME}\" is a step's result, and $$ a dollar sign"),
    ("x ${1st}", "\"${1st}\" does not name a variable; \"${steps.NAME}\" is a step's result, and $$ a dollar sign"),
    ("${steps.a b}", "\"a b\" does not name a step: \(Name.rule)"),
    ("${steps.a.}", "\".\" is not a path to a part of a result; write one such as rows[0].name"),
    ("${steps.a[x]}", "\"[x]\": a number and \"]\" must follow \"[\""),
    ("${steps.a[99999999999999999999]}", "\"[99999999999999999999]\": no list has so many elements"),
    ("${steps.a[0]b}", "\"[0]b\" is not a path to a part of a result; write one such as rows[0].name"),
  ])
  func refuses(text: String, message: String) {
    do {
      _ = try Template(parsing: text)
      Issue.record("\(text) was taken")
    } catch {
      #expect(error.message == message)
    }
  }

  @Test func namesItsResults() throws {
    let template = try Template(parsing: "x ${steps.a} ${v} ${steps.b-1.rows[-2].name}")
    #expect(template.variables == ["v"])
    #expect(
      template.results == [
        ResultReference(step: "a"),
        ResultReference(step: "b-1", path: ResultPath(parts: [.name("rows"), .index(-2), .name("name")])),
      ])
  }

  @Test func namesItsVariables() throws {
    #expect(try Template(parsing: "${a}-$${b}-${c}").variables == ["a", "c"])
  }

  @Test(
    "an expression refuses a variable within quotes, and one in the place of an operator",
    arguments: [
      (#"1 if "${v}" == "a" else 2"#, "${v} has no value within quotes; write ${v} without quotes"),
      ("'is ${steps.a.b}' == i", "${steps.a.b} has no value within quotes; write ${steps.a.b} without quotes"),
      (#"i == "${item.x"y}""#, #"${item.x"y} has no value within quotes; write ${item.x"y} without quotes"#),
      ("i + 1${v}", "found \"${v}\", expected an operator, or the end"),
      ("i + 1 ${steps.abc.defghijklmnop}", "found \"${steps.abc.defghijk\", expected an operator, or the end"),
    ])
  func quoted(text: String, message: String) throws {
    let template = try Template(parsing: text)
    let error = #expect(throws: Expression.EvaluationError.self) { try template.expression() }
    #expect(error?.description == message)
  }

  @Test("an expression's variables are operands by any name, beside texts with dollar signs too")
  func operands() throws {
    let text = #""é$${v}" == ${v} and ${steps.if.not[0]} > (${item.a"b}) and i != -${part-0}"#
    let expression = try Template(parsing: text).expression()
    var operands: [String] = []
    let isTrue = try expression.isTrue { operand in
      operands.append("\(operand)")
      return switch operand {
      case .variable("v"): .string("é${v}")
      case .result(ResultReference(step: "if", path: ResultPath(parts: [.name("not"), .index(0)]))): .int(5)
      case .variable("item"): .object([PluginMember("a\"b", .int(4))])
      case .variable("part-0"): .int(3)
      case .variable("i"): .int(-4)
      default: throw Expression.EvaluationError(description: "\(operand)")
      }
    }
    #expect(isTrue && operands.count == 5)
  }
}

@Suite struct NameTests {
  @Test(arguments: ["a", "_", "A-1_b", "snake_case"])
  func takes(name: String) { #expect(Name.isValid(name)) }

  @Test(arguments: ["", "1", "-a", "a.b", "a b", "é", "a\n"])
  func refuses(name: String) { #expect(!Name.isValid(name)) }

  @Test func textsOfAPipelineShareTheirRoom() throws {
    let values = ["a": String(repeating: "a", count: 4 << 20)]
    let text = try Template(parsing: String(repeating: "${a}", count: 10))
    var budget = ExpansionBudget()
    #expect(budget.take(text, with: values) == nil)
    #expect(budget.take(text, with: values)?.contains("this text has 41943040 bytes; the limit is 64 MiB") == true)
  }
}
