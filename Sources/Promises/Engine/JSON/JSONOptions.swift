/// How JSON is read and written.
package struct JSONOptions {
  /// As deep as arrays and objects may be nested.
  package var maxDepth = 1000
  /// As many bytes as a text may have.
  package var maxLength = UInt64.max
  /// Of the entries of an object with the same key the last one counts; otherwise they are a fault.
  package var lastWins = false
  /// Spaces for each level; 0: all on one line.
  package var indent = 0
  /// Characters beyond ASCII are escaped.
  package var asciiOnly = false
  /// What JSON has no numbers for is null; otherwise it is a fault.
  package var nonFiniteAsNull = false

  package init() {}
}

/// How reading or writing ended. A fault's value is an ERROR, or nil if there was no memory for it.
package enum JSONResult {
  case value(CellValue)
  case fault(CellValue?)
  case outOfMemory
}
