/// The memory budget for the texts that a pipeline's variables expand to. Bounded, because ten variables of ten
/// variables each stand for 10^10 copies of a text.
struct ExpansionBudget {
  static let mebibytes = 64
  private var left = mebibytes << 20

  /// Reserves memory for the expansion of a template. Returns nil on success, and otherwise the message of the mistake.
  mutating func take(_ template: Template, with values: [String: String]) -> String? {
    let count = template.expandedCount(with: values)
    guard count > left else {
      left -= count
      return nil
    }
    return "with the values of its variables, this text has \(count) bytes; the limit is \(Self.mebibytes) MiB for all "
      + "such texts of a pipeline: pass a long text as a file, \"@FILE\""
  }
}
