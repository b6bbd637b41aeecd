/// Options for reading and writing JSON.
package struct JSONOptions {
  /// The maximum nesting of arrays and objects.
  package var maxDepth = 1000
  /// The maximum length of a text in bytes.
  package var maxLength = UInt64.max
  /// Accept duplicate keys in an object, the last one wins; otherwise they are a fault.
  package var lastWins = false
  /// Spaces per level of nesting; 0: a single line.
  package var indent = 0
  /// Escape characters beyond ASCII.
  package var asciiOnly = false
  /// Write NaN and infinities as null; otherwise they are a fault.
  package var nonFiniteAsNull = false

  package init() {}
}

/// The result of reading or writing. The value of a fault is an ERROR; nil when memory has run out.
package enum JSONResult {
  case value(CellValue)
  case fault(CellValue?)
  case outOfMemory
}
