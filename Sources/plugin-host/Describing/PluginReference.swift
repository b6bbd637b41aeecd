import PluginRuntime

/// A plugin's reference page, in Markdown.
struct PluginReference {
  private let plugin: PluginDescription

  static func page(_ plugin: PluginDescription) -> String {
    let page = PluginReference(plugin: plugin)
    return (page.head + plugin.functions.flatMap(page.section)).map { $0 + "\n" }.joined()
  }

  private var head: [String] {
    var lines = ["# \(Self.text(plugin.id)) \(Self.text(plugin.version))", ""]
    if let description = plugin.description { lines += [Self.text(description), ""] }
    if let adoption = plugin.adoption {
      lines.append("- Functions of \(Self.code(adoption.library)), adopted by signatures.")
    } else {
      lines.append("- Plugin \(Self.code(Directory.name(of: plugin.path))), ABI \(plugin.abiText).")
    }
    if !plugin.required.isEmpty {
      lines.append("- Requires \(plugin.required.map(Self.code).joined(separator: ", ")).")
    }
    if !plugin.functions.isEmpty {
      lines += ["", "| function | |", "| --- | --- |"]
      lines += plugin.functions.map { function in
        "| [\(Self.code(function.name))](#\(function.name.lowercased())) | \(Self.text(function.description ?? "")) |"
      }
    }
    return lines
  }

  private func section(_ function: FunctionDescription) -> [String] {
    let signature = function.signature
    var lines = ["", "## \(function.name)", ""]
    if let description = function.description { lines += [Self.text(description), ""] }
    lines += Self.block("", [signature.description])
    if !signature.inputs.isEmpty || signature.tail != nil {
      lines += ["", "| argument | type | default | |", "| --- | --- | --- | --- |"]
      lines += signature.inputs.map(row)
      if let tail = signature.tail {
        let types = tail.types.map(\.description).joined(separator: " or ")
        lines.append(
          "| \(Self.code(tail.parameter.name)) | any number of \(Self.text(types)) | none | \(Self.text(tail.note ?? "")) |"
        )
      }
    }
    lines += ["", "Gives \(result(of: signature))"]
    if let failure = signature.failure {
      let message = signature.failureDetails.message.map { " Its message is the text of \(Self.code("\($0)"))." } ?? ""
      lines += ["", failure.sentence(signature.failureDetails) + message]
    }
    lines += [""] + Self.block("c", signature.cPrototype.split(separator: "\n").map(String.init))
    if let example = CommandLineExample.text(of: function, in: plugin) {
      lines += [""] + Self.block("sh", [example])
    }
    return lines
  }

  private func row(_ parameter: Parameter) -> String {
    let value =
      parameter.defaultValue.map { Self.code($0.asArgument.text) } ?? (parameter.fallback == nil ? "" : "`null`")
    let cells = [
      Self.code(parameter.name), Self.code("\(parameter.argumentType)"), value, Self.text(parameter.note ?? ""),
    ]
    return "| \(cells.joined(separator: " | ")) |"
  }

  private func result(of signature: Signature) -> String {
    let note = signature.resultNote.map { ": \(Self.text($0))" } ?? ""
    let result = signature.yielded.map { Self.code("\($0)") + note }
    guard !signature.outputs.isEmpty else { return "\(result ?? "nothing" + note)." }
    var members = result.map { ["`result`, \($0)"] } ?? []
    members += signature.outputs.map { output in
      "\(Self.code(output.name)), \(Self.code("\(output.type)"))\(output.note.map { ": \(Self.text($0))" } ?? "")"
    }
    return "an object with \(members.joined(separator: "; "))."
  }

  private static func block(_ language: String, _ lines: [String]) -> [String] { ["```\(language)"] + lines + ["```"] }

  /// Escapes text, so that it contains no markup and no end of a table's cell.
  private static func text(_ text: String) -> String {
    var result = ""
    for character in text.displayLine {
      if "\\`*_[]<>|#&~".contains(character) { result.append("\\") }
      result.append(character)
    }
    return result
  }

  /// Marks text as code. The fence is longer than any in the text; bars are escaped for tables.
  private static func code(_ text: String) -> String {
    let line = text.displayLine.replacing("|", with: "\\|")
    var longest = 0
    var run = 0
    for character in line {
      run = character == "`" ? run + 1 : 0
      longest = max(longest, run)
    }
    let fence = String(repeating: "`", count: longest + 1)
    let space = longest > 0 || line.isEmpty ? " " : ""
    return "\(fence)\(space)\(line)\(space)\(fence)"
  }
}

extension FailureRule {
  /// Returns a sentence for people: when a call fails.
  fileprivate func sentence(_ details: FailureDetails) -> String {
    switch self {
    case .status: return "It fails with an error of its own."
    case .errno: return "It fails with `errno` if it returns -1 or NULL."
    case .nonzero: return "It fails if it returns anything but 0, with that as its code."
    case .zero: return "It fails if it returns 0."
    case .negative: return "It fails if it returns less than 0, with that as its code."
    case .null: return "It fails if it returns NULL."
    case .gerror: return "It fails with the `GError` that it stores."
    case .unless:
      let codes = details.successes.map(String.init).joined(separator: " or ")
      return "It fails if it returns anything but \(codes), with that as its code."
    case .test:
      return "It fails if `\(details.test?.call.description ?? "")` says so, with the result as its code."
    case .nonnull, .always: return "It may fail."
    }
  }
}
