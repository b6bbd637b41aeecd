import PluginRuntime

/// The variables of a session, and the arguments that words with variables stand for.
struct ShellVariables {
  /// A value with its type.
  struct Variable: Sendable {
    var value: PluginValue
    var shape: ResultShape

    init(_ value: PluginValue, of shape: ResultShape) {
      (self.value, self.shape) = (value, shape)
    }

    /// The value as a part of a text.
    var text: String { get throws(MissingPart) { try shape.written(value).text } }
    /// The value for a list of variables.
    var summary: String { shape.written(value).summary }
  }

  private var variables: [String: Variable] = [:]

  var names: [String] { variables.keys.sorted() }

  subscript(name: String) -> Variable? {
    get { variables[name] }
    set { variables[name] = newValue }
  }

  /// Returns the value that a reference stands for.
  func variable(_ reference: ShellLine.Reference) throws(Failure) -> Variable {
    guard let variable = variables[reference.name] else {
      let hint = Suggestion.near(reference.name, among: names)
      throw Failure(.usage, "there is no variable \"\(reference.name)\"\(hint)".displayLine)
    }
    do {
      return Variable(
        try reference.path.part(of: variable.value), of: (try? variable.shape.part(reference.path)) ?? .any)
    } catch {
      throw Failure(.usage, "$\(reference.name): \(error)".displayLine)
    }
  }

  /// Returns the text of a word, with the texts of variables in place of their names.
  func text(_ parts: [ShellLine.Part]) throws(Failure) -> String {
    var text = ""
    for part in parts {
      switch part {
      case .text(let literal, _): text += literal
      case .reference(let reference):
        do {
          text += try variable(reference).text
        } catch let failure as Failure {
          throw failure
        } catch {
          throw Failure(.usage, "$\(reference.name): \(error)".displayLine)
        }
      }
    }
    return text
  }

  /// The arguments of a call. A variable that is a whole argument is passed as its value, handles included. A word
  /// after `--` is a text: no name, file or option is looked for in it.
  func arguments(
    _ words: [ShellLine.Word], for signature: Signature, limit: CommandLineArguments.Limit?,
    callback: CommandLineArguments.CallbackMaker
  ) throws(Failure) -> [Argument] {
    var arguments: [Argument] = []
    let end = words.firstIndex { $0.plain == "--" } ?? words.endIndex
    var inputs: [(name: String?, parts: [ShellLine.Part])] = []
    for word in words[..<end] { inputs.append(try Self.split(word.parts, for: signature)) }
    inputs += words[end...].dropFirst().map { (nil, $0.literal) }
    for ((name, parts), parameter) in zip(inputs, signature.parameters(ofNames: inputs.map(\.name))) {
      if case .reference(let reference)? = parts.first, parts.count == 1 {
        let value = try variable(reference).value
        try Self.check(value, of: reference, for: parameter)
        arguments.append(Argument(name: name, .value(value)))
      } else if let parameter, let type = parameter.type.callbackType,
        let text = CommandLineArguments.callbackText(.text(try text(parts)), for: parameter)
      {
        arguments.append(Argument(name: name, .callback(try callback(text, parameter.name, type))))
      } else if let plain = try plain(parts) {
        // The rules of the command line: NAME=VALUE, @FILE, numbers with a minus.
        if name == nil { try CommandLineArguments.refuseOptions([plain], among: []) }
        let text = ArgumentText(plain)
        guard text != .standardInput else {
          throw Failure(.usage, "standard input has the lines of the session; write \\- for the text -")
        }
        arguments.append(Argument(name: name, try CommandLineArguments.content(text, for: parameter, limit)))
      } else if let value = try valueWithHandles(parts) {
        arguments.append(Argument(name: name, .value(value)))
      } else {
        let text = try text(parts)
        arguments.append(
          Argument(name: name, RawText.isText(text) ? .text(RawText.string(text)) : .contents(RawText.bytes(of: text))))
      }
    }
    return arguments
  }

  /// Returns the text of a word that follows the rules of the command line: one without quotes and variables, or an `@`
  /// outside quotes with a path behind it, which may have both. Nil for others.
  private func plain(_ parts: [ShellLine.Part]) throws(Failure) -> String? {
    if let plain = ShellLine.Word(parts: parts).plain { return plain }
    guard case .text(let first, isQuoted: false)? = parts.first, first.unicodeScalars.first == "@" else { return nil }
    return try text(parts)
  }

  /// Refuses a result with members for an address: the user means a member, which a function returned beside its
  /// status.
  private static func check(
    _ value: PluginValue, of reference: ShellLine.Reference, for parameter: Parameter?
  ) throws(Failure) {
    guard case .object(let members) = value, case .pointer? = parameter?.type.content else { return }
    let name = "$\(reference.name)\(reference.path.suffix)"
    let addresses = members.filter { if case .pointer = $0.value { true } else { false } }
    let hint = addresses.isEmpty ? "" : ": write \(addresses.map { "\(name).\($0.name)" }.joined(separator: " or "))"
    let list = members.map(\.name).joined(separator: ", ")
    throw Failure(.usage, "\(name) has the members \(list), expected an address\(hint)".displayLine)
  }

  /// Splits NAME= from the parts by the rules of the command line. A NAME with quotes or a variable in it is none.
  private static func split(
    _ parts: [ShellLine.Part], for signature: Signature
  ) throws(Failure) -> (name: String?, parts: [ShellLine.Part]) {
    guard case .text(let text, isQuoted: false)? = parts.first,
      case (let name?, let value) = try CommandLineArguments.split(text, for: signature)
    else { return (nil, parts) }
    let rest = Array(parts.dropFirst())
    let isWhole = value.isEmpty && !rest.isEmpty
    return (name, isWhole ? rest : [.text(value, isQuoted: false)] + rest)
  }
}
