/// The layout of a type in memory, by the C ABI of this machine.
public struct TypeLayout: Sendable, Hashable {
  /// The size in bytes, a multiple of the alignment.
  public let size: Int
  /// The alignment in bytes, a power of 2.
  public let alignment: Int

  private static let word = MemoryLayout<UnsafeRawPointer>.size

  /// Computes the layout; `nil` if the size overflows.
  public init?(of type: ValueType) {
    switch type.form {
    case .scalar(let scalar): self.init(size: scalar.size, alignment: scalar.alignment)
    case .structure(let type):
      guard let layout = StructLayout(type) else { return nil }
      self = layout.whole
    case .union(let type):
      var size = 0
      var alignment = 1
      for member in type.members {
        guard let layout = TypeLayout(of: member.type) else { return nil }
        size = max(size, layout.size)
        alignment = max(alignment, layout.alignment)
      }
      guard let size = Self.rounded(size, to: alignment) else { return nil }
      self.init(size: size, alignment: alignment)
    case .array(let element, let count):
      guard let element = TypeLayout(of: element) else { return nil }
      let (size, overflow) = element.size.multipliedReportingOverflow(by: count)
      if overflow { return nil }
      self.init(size: size, alignment: element.alignment)
    case .text(let size): self.init(size: size, alignment: 1)
    case .span: self.init(size: 2 * Self.word, alignment: Self.word)
    case .address: self.init(size: Self.word, alignment: Self.word)
    }
  }

  init(size: Int, alignment: Int) {
    self.size = size
    self.alignment = alignment
  }

  /// Returns the next multiple of an alignment; `nil` on overflow.
  fileprivate static func rounded(_ offset: Int, to alignment: Int) -> Int? {
    let (sum, overflow) = offset.addingReportingOverflow(alignment - 1)
    return overflow ? nil : sum & ~(alignment - 1)
  }
}

/// The layout of a struct's fields.
public struct StructLayout: Sendable, Hashable {
  /// The offset of each field, in bytes.
  public let offsets: [Int]
  /// The layout of each field.
  public let fields: [TypeLayout]
  /// The layout of the struct, with the padding at its end.
  public let whole: TypeLayout

  /// Computes the layout; `nil` if the size overflows.
  public init?(_ type: StructType) {
    var offsets: [Int] = []
    var fields: [TypeLayout] = []
    var end = 0
    var alignment = 1
    for field in type.fields {
      guard let layout = TypeLayout(of: field.type), let start = TypeLayout.rounded(end, to: layout.alignment) else {
        return nil
      }
      offsets.append(start)
      fields.append(layout)
      alignment = max(alignment, layout.alignment)
      let (next, overflow) = start.addingReportingOverflow(layout.size)
      if overflow { return nil }
      end = next
    }
    guard let size = TypeLayout.rounded(end, to: alignment) else { return nil }
    self.offsets = offsets
    self.fields = fields
    whole = TypeLayout(size: size, alignment: alignment)
  }
}
