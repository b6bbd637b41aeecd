import PluginRuntime

/// A result as a table: objects in rows, their members in columns.
enum ResultTable {
  static func text(_ value: PluginValue) -> String {
    lines(value).map { line in String(line.reversed().drop { $0 == " " }.reversed()) + "\n" }.joined()
  }

  private static func lines(_ value: PluginValue) -> [String] {
    switch value {
    case .void: return []
    case .array(let elements):
      let names = columns(of: elements)
      guard !names.isEmpty else { return elements.map { cell($0) } }
      let rows = elements.map { element in names.map { element[member: $0] } }
      let widths = widths(names, rows)
      let head = aligned(names.map(\.singleLine), numbers: [], widths: widths)
      return [head]
        + rows.map { row in
          let numbers = Set(row.indices.filter { isNumber(row[$0]) })
          return aligned(row.map { $0.map(cell) ?? "" }, numbers: numbers, widths: widths)
        }
    case .object(let members):
      let width = members.map(\.name.singleLine.columns).max() ?? 0
      return members.map { "\($0.name.singleLine.padded(to: width))  \(cell($0.value))" }
    case .bool, .int, .uint, .double, .string, .bytes, .pointer, .file: return [cell(value)]
    }
  }

  /// Returns the names of all members, in the order of their first occurrence; none if the elements are not all
  /// objects.
  private static func columns(of elements: [PluginValue]) -> [String] {
    var names: [String] = []
    var seen: Set<String> = []
    for element in elements {
      guard case .object(let members) = element else { return [] }
      for member in members where seen.insert(member.name).inserted { names.append(member.name) }
    }
    return names
  }

  private static func widths(_ names: [String], _ rows: [[PluginValue?]]) -> [Int] {
    names.indices.map { column in
      max(names[column].singleLine.columns, rows.map { $0[column].map { cell($0).columns } ?? 0 }.max() ?? 0)
    }
  }

  private static func aligned(_ cells: [String], numbers: Set<Int>, widths: [Int]) -> String {
    cells.indices.map { column in
      let gap = String(repeating: " ", count: max(0, widths[column] - cells[column].columns))
      return numbers.contains(column) ? gap + cells[column] : cells[column] + gap
    }.joined(separator: "  ")
  }

  private static func isNumber(_ value: PluginValue?) -> Bool {
    switch value {
    case .int, .uint, .double: true
    default: false
    }
  }

  /// Returns a value on one line, without control characters.
  private static func cell(_ value: PluginValue) -> String {
    switch value {
    case .void: ""
    case .string(let text): text.singleLine
    default: value.line
    }
  }
}
