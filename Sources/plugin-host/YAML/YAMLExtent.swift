/// The size of a node, including the nodes within it.
struct YAMLExtent: CustomStringConvertible {
  var nodes = 0
  /// The length of the scalars' texts, in bytes.
  var bytes = 0

  /// The nodes and texts that the aliases of a file may repeat.
  static let limits = YAMLExtent(nodes: 100_000, bytes: 16 << 20)

  var isWithinLimits: Bool { nodes <= Self.limits.nodes && bytes <= Self.limits.bytes }

  var description: String { "\(nodes) values and \(bytes) bytes of text" }

  static func += (left: inout YAMLExtent, right: YAMLExtent) {
    left.nodes += right.nodes
    left.bytes += right.bytes
  }

  static func - (left: YAMLExtent, right: YAMLExtent) -> YAMLExtent {
    YAMLExtent(nodes: left.nodes - right.nodes, bytes: left.bytes - right.bytes)
  }
}
