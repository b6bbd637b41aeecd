import PluginRuntime

extension AdoptionDraft.Function {
  /// Gives arguments the directions that calls have shown. Returns why the function is left out, if no signature can
  /// have one of them.
  mutating func apply(_ contents: [String: DraftCheck.Contents], calls: Int) -> String? {
    for parameter in signature.parameters {
      let name = parameter.name
      switch (contents[name], parameter.direction) {
      case (.read, .output) where ParameterNames.isStatus(name):
        checks.append("\(name) is read and written, and 0 is taken to be no error")
      case (.read, .output):
        guard let changed = signature.changing(name, to: .inOut) else {
          return "'\(name)' is read and written, as calls show, and a call could not give it"
        }
        signature = changed
        mark(name, "\(name) is read and written: calls that found other contents there had other effects")
      case (.whole, .inOut):
        guard let changed = signature.changing(name, to: .output) else { continue }
        signature = changed
        mark(name, "\(name) is written, and not read by any of \(calls) calls")
      case (.unwritten, .output):
        checks.append("\(name) was not written by any of \(calls) calls; if it is read, it is inout")
      case (.unwritten, .inOut):
        checks.append("\(name) was not written by any of \(calls) calls; if it is only read, it is not inout")
      default: continue
      }
    }
    return nil
  }

  /// Replaces the points to check that are about a parameter's direction.
  private mutating func mark(_ name: String, _ check: String) {
    checks = checks.filter { !$0.hasPrefix("\(name) is taken to ") }
    checks.append(check)
  }
}

extension Signature {
  /// The signature with another direction of a parameter; nil if none can have it.
  fileprivate func changing(_ name: String, to direction: Parameter.Direction) -> Signature? {
    let words: [Parameter.Direction: String] = [.output: "out ", .inOut: "inout "]
    guard let parameter = parameters.first(where: { $0.name == name }), let old = words[parameter.direction],
      let new = words[direction]
    else { return nil }
    let before = parameters.first?.name == name ? "(" : " "
    let text = description.replacing("\(before)\(name): \(old)", with: "\(before)\(name): \(new)", maxReplacements: 1)
    // A callback may have an argument of that name.
    guard let changed = try? Signature(parsing: text),
      changed.parameters.first(where: { $0.name == name })?.direction == direction
    else { return nil }
    return changed
  }
}
