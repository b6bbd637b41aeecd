import CPromise
import Glibc

extension GeneralCall {
  /// A failure that the function has reported, before its outputs are loaded.
  struct Failure {
    var domain: String
    var code: Int64
    /// The whole message of the library; `nil` if the library has none.
    var text: String?
    /// The message for a failure without a text of the library.
    var fallback: String
  }

  /// The failure by the plan's rule; `nil` if the function succeeded. A GError is freed.
  var failure: Failure? {
    if let error = plan.error { return error.take(frame + plan.frame.error, domain: plan.domain, plan.signature.name) }
    guard let rule = plan.rule, let returned = plan.result?.type, isFailure(rule, returned) else { return nil }
    let name = plan.signature.name
    // The call for the message may change `errorNumber`.
    let number = errorNumber
    let text = plan.message?.text(self)
    if rule == .errno {
      return Failure(
        domain: "errno", code: Int64(number), text: text, fallback: "\(name): \(String(cString: strerror(number)))")
    }
    guard !returned.isAddress, let scalar = returned.number else {
      return Failure(
        domain: plan.domain, code: 0, text: text, fallback: "\(name) \(rule == .test ? "failed" : "returned NULL")")
    }
    let bits = scalar.bits(at: frame + plan.frame.returned)
    // (size_t)-70 is the error 70, negated.
    if rule == .test {
      return Failure(domain: plan.domain, code: bits, text: text, fallback: "\(name) returned \(bits)")
    }
    let digits = scalar.form == .unsigned ? "\(UInt64(bitPattern: bits))" : "\(bits)"
    return Failure(domain: plan.domain, code: Int64(digits) ?? 0, text: text, fallback: "\(name) returned \(digits)")
  }

  private func isFailure(_ rule: FailureRule, _ returned: ValueType) -> Bool {
    if let test = plan.test, let type = plan.failureDetails.test?.type { return test.saysFailure(self, type) }
    return rule.isFailure(
      frame + plan.frame.returned, plan.signature.returned ?? returned, plan.failureDetails.successes)
  }

  /// Rejects the call for a failure. Without a text of the library the texts of the outputs are added: many libraries
  /// store an explanation next to their code.
  func reject(
    _ failure: Failure, _ outputs: [PluginMember], into result: UnsafeMutablePointer<promise_value_t>
  ) -> CallOutcome {
    var message = failure.fallback
    if let text = failure.text {
      message = text
    } else {
      for case .string(let text) in outputs.map(\.value) where !text.isEmpty { message += ": \(text)" }
    }
    let status = promise_value_error(result, failure.domain, failure.code, message.filter { $0 != "\0" })
    return status == PROMISE_OK ? .rejected : .fault(.noMemory)
  }
}

extension FailureRule {
  /// Whether a value in memory means failure by this rule.
  func isFailure(_ memory: UnsafeRawPointer, _ type: ValueType, _ successes: [Int64] = []) -> Bool {
    if type.isAddress {
      let word = memory.load(as: UInt.self)
      // mmap() and iconv_open() fail with the address -1.
      let isNone = word == 0 || self == .errno && word == .max
      return self == .always || (self == .nonnull ? !isNone : isNone)
    }
    let number = type.number?.integer(at: memory)
    switch self {
    // iconv() fails with (size_t)-1: all bits of the result are set.
    case .errno: return type.number.map { $0.bits(at: memory) << $0.unusedBits == -1 << $0.unusedBits } ?? false
    case .nonzero: return number != 0
    case .zero: return number == 0
    case .negative: return number.map { $0 < 0 } ?? false
    // A number beyond 64 signed bits is not in the list.
    case .unless: return !(number.map { successes.contains(Int64($0)) } ?? false)
    default: return self == .always
    }
  }
}
