extension ParameterNames {
  /// Whether an array of char in a struct holds bytes, or nothing, rather than text: `sa_data`, `pad`, `__reserved`.
  static func isData(field name: String) -> Bool {
    !data.isDisjoint(with: words(name))
  }

  private static let data: Set<String> = [
    "addr", "address", "align", "alignment", "bits", "buf", "buffer", "byte", "bytes", "cdb", "data", "digest", "dummy",
    "fill", "filler", "hash", "internal", "key", "magic", "mask", "mem", "memory", "opaque", "pad", "padding",
    "private", "raw", "reserved", "salt", "sense", "size", "space", "spare", "state", "storage", "unused", "vec",
  ]
}
