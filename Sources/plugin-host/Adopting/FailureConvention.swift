import PluginRuntime

/// The part of a signature behind `!`, as a type map has it: how a function reports a failure by its result, and which
/// function has the message.
enum FailureConvention {
  /// Returns the signature with a failure convention. Returns it unchanged if it has a convention already, cannot have
  /// this one, or takes the message from a function that `provides` does not know.
  static func add(_ text: String?, to signature: Signature, provides: (String) -> Bool) -> Signature {
    guard let text, signature.failure == nil else { return signature }
    let written = signature.description
    // A result that is NULL only after a failure is not optional. A test of the library's may accept NULL.
    let failing =
      (written.hasSuffix("?") && !text.hasPrefix("if ")
        ? try? Signature(parsing: "\(written.dropLast()) ! \(text)") : nil)
      ?? (try? Signature(parsing: "\(written) ! \(text)"))
    let details = failing?.failureDetails
    let names = [details?.test?.call, details?.message].compactMap(\.self).flatMap(functions)
    return names.allSatisfy(provides) ? failing ?? signature : signature
  }

  /// Returns why no function can have the convention; nil if a function with parameters of the right names could.
  static func mistake(in text: String) -> String? {
    let names = Set(text.split { !$0.isLetter && !$0.isNumber && $0 != "_" }.map(String.init)).filter(Name.isValid)
    let parameters = names.subtracting(["result"]).sorted().map { "\($0): ptr<any>" }.joined(separator: ", ")
    var mistake: String?
    for result in ["i32", "ptr<any>"] {
      do throws(SignatureError) {
        let signature = try Signature(parsing: "f(\(parameters)) -> \(result) ! \(text)")
        // `status` and `gerror` add a parameter to the function.
        guard signature.failure != .status, signature.failure != .gerror else {
          return "expected errno, nonzero, zero, negative, null, unless or if"
        }
        return nil
      } catch {
        mistake = mistake ?? "found \(error.found), expected \(error.expected)"
      }
    }
    return mistake
  }

  private static func functions(of message: FailureDetails.Message) -> [String] {
    message.arguments.reduce(into: [message.function]) { names, argument in
      if case .call(let call) = argument { names += functions(of: call) }
    }
  }
}
