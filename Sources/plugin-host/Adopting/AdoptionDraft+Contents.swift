import PluginRuntime

extension AdoptionDraft {
  /// Marks as kept the arguments that functions used after the call. Returns the names of these functions.
  mutating func keep(_ findings: [String: DraftCheck.Finding]) -> [String] {
    var names: [String] = []
    revise { function in
      if case .kept(let argument, _)? = findings[function.signature.name], function.keep(argument) {
        names.append(function.signature.name)
      }
      return nil
    }
    return names
  }
}

extension AdoptionDraft.Function {
  /// Marks an argument as kept. Returns false if the signature cannot express it.
  fileprivate mutating func keep(_ name: String) -> Bool {
    guard let parameter = signature.parameters.first(where: { $0.name == name }), parameter.prefix.isEmpty,
      let changed = signature.changing(name, "\(parameter.type)", to: "keep \(parameter.type)")
    else { return false }
    signature = changed
    mark(name, "\(name) is kept: a call used it after the one that it was given to")
    return true
  }

  /// Sets the directions that calls have shown. Makes a `void *` optional, because it was NULL in all calls. Returns
  /// the reason to leave the function out if its signature cannot have one of the directions.
  mutating func apply(_ contents: [String: DraftCheck.Contents], calls: Int) -> String? {
    for parameter in signature.parameters {
      let name = parameter.name
      if case .pointer("void") = parameter.type, parameter.direction == .input,
        let changed = signature.changing(name, "ptr<void>", to: "ptr<void>?")
      {
        signature = changed
        checks.append("\(name) may be NULL, as it was in \(calls) calls")
      }
      switch (contents[name], parameter.direction) {
      case (.read, .output) where ParameterNames.isStatus(name):
        checks.append("\(name) is read and written, and 0 is taken to be no error")
      case (.read, .output):
        guard let changed = signature.changing(name, "out ", to: "inout ") else {
          return "'\(name)' is read and written, as calls show, and a call could not give it"
        }
        signature = changed
        mark(name, "\(name) is read and written: calls that found other contents there had other effects")
      case (.whole, .inOut):
        guard let changed = signature.changing(name, "inout ", to: "out ") else { continue }
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
  /// Returns the signature with the beginning of a parameter's type replaced; nil if the result is not a signature.
  fileprivate func changing(_ name: String, _ old: String, to new: String) -> Signature? {
    let before = parameters.first?.name == name ? "(" : " "
    let text = description.replacing("\(before)\(name): \(old)", with: "\(before)\(name): \(new)", maxReplacements: 1)
    guard let changed = try? Signature(parsing: text) else { return nil }
    // The replaced text may have been an argument of a callback with that name.
    let rest = changed.parameters.first { $0.name == name }
    guard let rest, "\(rest)".hasPrefix("\(name): \(new)") else { return nil }
    return changed
  }
}
