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
    ("${}", "\"${}\" does not name a variable; write $$ for a dollar sign"),
    ("x ${1st}", "\"${1st}\" does not name a variable; write $$ for a dollar sign"),
  ])
  func refuses(text: String, message: String) {
    do {
      _ = try Template(parsing: text)
      Issue.record("\(text) was taken")
    } catch {
      #expect(error.message == message)
    }
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
}
