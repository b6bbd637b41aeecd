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
    ("${name", "\"${\" without a \"}\" after it"),
    ("${}", "\"${}\" does not name a variable; \"${steps.NAME}\" is a step's result, and $$ a dollar sign"),
    ("x ${1st}", "\"${1st}\" does not name a variable; \"${steps.NAME}\" is a step's result, and $$ a dollar sign"),
  ])
  func refuses(text: String, message: String) {
    do {
      _ = try Template(parsing: text)
      Issue.record("\(text) was taken")
    } catch {
      #expect(error.message == message)
    }
  }

  @Test(arguments: [
    ("${steps.a b}", "\"a b\" does not name a step: \(Name.rule)"),
    ("${steps.a.}", "\".\" is not a path to a part of a result; write one such as rows[0].name"),
    ("${steps.a[x]}", "\"[x]\": a number and \"]\" must follow \"[\""),
    ("${steps.a[99999999999999999999]}", "\"[99999999999999999999]\": no list has so many elements"),
    ("${steps.a[0]b}", "\"[0]b\" is not a path to a part of a result; write one such as rows[0].name"),
  ])
  func refusesReferences(text: String, message: String) {
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
}

@Suite struct NameTests {
  @Test(arguments: ["a", "_", "A-1_b", "snake_case"])
  func takes(name: String) { #expect(Name.isValid(name)) }

  @Test(arguments: ["", "1", "-a", "a.b", "a b", "é", "a\n"])
  func refuses(name: String) { #expect(!Name.isValid(name)) }

  @Test func textsOfAPipelineShareTheirRoom() throws {
    let values = ["a": String(repeating: "a", count: 4 << 20)]
    let text = try Template(parsing: String(repeating: "${a}", count: 10))
    var room = ExpansionRoom()
    #expect(room.take(text, with: values) == nil)
    #expect(room.take(text, with: values)?.contains("this text has 41943040 bytes; the limit is 64 MiB") == true)
  }
}
