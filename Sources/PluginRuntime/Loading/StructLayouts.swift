import CPromise

/// Compares the struct layouts of a plugin's own compiler with those that the host computes from its signatures.
enum StructLayouts {
  /// Checks a plugin's table of layouts, if its descriptor has one.
  static func check(
    _ functions: [FunctionDescription], _ fields: DescriptorFields, size: Int
  ) throws(PluginError) {
    // The first version of the descriptor lacks these fields.
    guard let end = MemoryLayout<promise_plugin_t>.offset(of: \.layout_count), size > end else { return }
    let count = fields.load(\promise_plugin_t.layout_count, as: Int.self)
    guard (0...maximum).contains(count) else {
      throw fields.error("has \(UInt(bitPattern: count)) layouts, expected at most \(maximum)")
    }
    guard count > 0 else { return }
    guard let table = fields.load(\promise_plugin_t.layouts, as: UnsafeRawPointer?.self) else {
      throw fields.error("has \(count) layouts, but the table 'layouts' is NULL")
    }
    for index in 0..<count {
      let stride = MemoryLayout<promise_layout_t>.stride
      let row = try fields.row(index, of: table, stride, as: promise_layout_t.self, "layouts")
      try check(row, "layouts[\(index)]", functions)
    }
  }

  private static let maximum = 65_536

  private static func check(
    _ row: DescriptorFields, _ name: String, _ functions: [FunctionDescription]
  ) throws(PluginError) {
    let path = try row.text(\promise_layout_t.path, "\(name).path")
    let given = row.load(\promise_layout_t.offset, as: UInt.self)
    // PROMISE_LAYOUT_WHOLE, a macro that Swift does not see.
    let offset = given == .max ? nil : given
    let size = row.load(\promise_layout_t.size, as: Int.self)
    guard let found = find(path, functions, isField: offset != nil) else {
      throw row.error(
        "has a layout of '\(path)', expected 'function.parameter' or 'function.result' of a struct, and '.field'")
    }
    guard offset.map({ $0 == found.offset }) ?? true, found.size == size else {
      let place = offset.map { "\(size) bytes at offset \($0)" } ?? "\(size) bytes"
      let expected = offset == nil ? "\(found.size)" : "\(found.size) at \(found.offset)"
      throw PluginError(
        .layout(path), row.path,
        "has '\(path)' as \(place), expected \(expected), as \(found.type) says: the struct in C is another one")
    }
  }

  /// The place of a field in its struct, or the size of a struct.
  private struct Place {
    let type: ValueType
    let offset: Int
    let size: Int
  }

  /// Returns the field, or the struct, that a path names: "function.parameter.field.field".
  private static func find(_ path: String, _ functions: [FunctionDescription], isField: Bool) -> Place? {
    let names = path.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
    guard names.count >= (isField ? 3 : 2), let signature = functions.first(where: { $0.name == names[0] })?.signature
    else { return nil }
    let parameter = signature.parameters.first { $0.name == names[1] }
    guard var record = (parameter?.type ?? (names[1] == "result" ? signature.result : nil))?.record else { return nil }
    for name in names.dropFirst(2).dropLast(isField ? 1 : 0) {
      guard let inner = record.fields?.first(where: { $0.name == name })?.type.record else { return nil }
      record = inner
    }
    guard isField else { return TypeLayout(of: record).map { Place(type: record, offset: 0, size: $0.size) } }
    guard let index = record.fields?.firstIndex(where: { $0.name == names[names.count - 1] }),
      let field = record.fields?[index], let size = TypeLayout(of: field.type)?.size
    else { return nil }
    guard case .structure(let structure) = record else { return Place(type: record, offset: 0, size: size) }
    return StructLayout(structure).map { Place(type: record, offset: $0.offsets[index], size: size) }
  }
}

extension ValueType {
  /// The struct or the union of a type: the type itself, its target, or its element.
  fileprivate var record: ValueType? {
    switch kind {
    case .structure, .union: content
    case .list(let type, _), .promise(let type?): type.record
    default: nil
    }
  }
}
