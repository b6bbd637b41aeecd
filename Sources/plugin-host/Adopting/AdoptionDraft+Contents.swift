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

  private static let isNotShown = "no call has shown that it is written"

  /// Confirms each guess whose parameter calls have written as a whole, and not used later. Other guesses become memory
  /// of the caller, if the draft has such memory; otherwise they are not checked.
  mutating func decideGuesses(by findings: inout [String: DraftCheck.Finding]) {
    revise { function in
      let name = function.signature.name
      let finding = findings[name]
      for guess in function.guesses {
        switch finding {
        case .safe(let calls, let contents, _) where contents[guess.parameter] == .whole:
          function.confirm(guess, calls: calls)
        case .unsafe, nil: break
        case .kept(let argument, _) where argument != guess.parameter: break
        case .unknown(let reason): findings[name] = function.replace(guess, "\(Self.isNotShown): \(reason)")
        case .safe: findings[name] = function.replace(guess, Self.isNotShown)
        case .kept: findings[name] = function.replace(guess, "a call has used it after the one that it was given to")
        }
      }
      return nil
    }
  }
}

extension AdoptionDraft.Function {
  /// Notes that calls have confirmed a guess.
  fileprivate mutating func confirm(_ guess: Guess, calls: Int) {
    guesses.removeAll { $0.parameter == guess.parameter }
    checks.append("\(guess.parameter) was written by \(calls) calls, and used by none later")
  }

  /// Replaces a guess by memory of the caller, if the draft has such memory. Returns the finding about the function.
  fileprivate mutating func replace(_ guess: Guess, _ result: String) -> DraftCheck.Finding {
    let reason = "\(guess.reason); \(result)"
    if let memory = guess.memory, let old = signature.parameters.first(where: { $0.name == guess.parameter }),
      let changed = signature.changing(guess.parameter, "out \(old.type)", to: memory)
    {
      signature = changed
      guesses.removeAll { $0.parameter == guess.parameter }
      mark(guess.parameter, "\(guess.reason): give memory that suffices, of \(MemoryFunctions.maker)")
    }
    return .unknown(reason)
  }

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
      // For addresses, calls decide guesses alone: many functions look for a NULL there.
      switch parameter.type.content {
      case .pointer, .cstr: continue
      default: break
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
