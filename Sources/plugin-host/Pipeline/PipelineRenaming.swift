/// Renames the steps and variables that a pipeline refers to.
struct PipelineRenaming {
  /// Returns the result for a reference at that location.
  var result: (ResultReference, Location) -> ResultReference
  /// Returns the steps that a name in `after` stands for.
  var steps: (Located<String>) -> [Located<String>]
  var variable: (String) -> String

  func step(_ step: Pipeline.Step) -> Pipeline.Step {
    var step = step
    // In the arguments of a step with `each`, and in its condition for the elements of a list, these names stand for
    // the element and its index.
    let fixed: Set<String> = step.isForEach ? ["item", "index"] : []
    step.call = call(step.call, except: fixed)
    step.after = step.after.flatMap(steps)
    if case .call(let call)? = step.rescue { step.rescue = .call(self.call(call, except: fixed)) }
    if case .value(let value)? = step.rescue { step.rescue = .value(input(value)) }
    step.each = step.each.map { input($0) }
    step.source = step.source.map { name in name.map { result(ResultReference(step: $0), name.location).step } }
    let chosen: Set<String> = step.each == nil ? [] : fixed
    step.condition = step.condition.map { condition in
      condition.map { expression in
        expression.replacing { operand in
          switch operand {
          case .variable(let name): .variable(chosen.contains(name) ? name : variable(name))
          case .result(let reference): .result(result(reference, condition.location))
          default: nil
          }
        }
      }
    }
    return step
  }

  private func call(_ call: Pipeline.Call, except fixed: Set<String>) -> Pipeline.Call {
    var call = call
    call.arguments = call.arguments.map { argument(named: $0.name, $0.value, except: fixed) }
    return call
  }

  private func argument(
    named name: Located<String>, _ value: Located<Pipeline.Input>, except fixed: Set<String>
  ) -> Pipeline.Argument {
    Pipeline.Argument(name: name, value: input(value, except: fixed))
  }

  private func input(_ input: Located<Pipeline.Input>, except fixed: Set<String> = []) -> Located<Pipeline.Input> {
    let location = input.location
    return input.map { value in
      switch value {
      case .text(let template, let isPlain):
        .text(self.template(template, at: location, except: fixed), isPlain: isPlain)
      case .file(let template): .file(self.template(template, at: location, except: fixed))
      case .standardInput, .null: value
      case .result(let reference): .result(result(reference, location))
      case .list(let elements): .list(elements.map { self.input($0, except: fixed) })
      case .mapping(let members): .mapping(members.map { argument(named: $0.name, $0.value, except: fixed) })
      }
    }
  }

  func template(_ template: Template, at location: Location, except fixed: Set<String> = []) -> Template {
    var template = template
    template.parts = template.parts.map { part in
      switch part {
      case .text, .item: part
      case .variable(let name): .variable(fixed.contains(name) ? name : variable(name))
      case .result(let reference): .result(result(reference, location))
      }
    }
    return template
  }

  func template(_ template: Located<Template>) -> Located<Template> {
    template.map { self.template($0, at: template.location) }
  }

  func printed(_ printed: Pipeline.Result) -> Pipeline.Result {
    switch printed {
    case .one(let reference): .one(reference.map { result($0, reference.location) })
    case .several(let entries):
      .several(
        entries.map { name, reference in (name, reference.map { result($0, reference.location) }) })
    }
  }
}
