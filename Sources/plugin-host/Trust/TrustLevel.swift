import ArgumentParser

/// The plugins that may be loaded, from the least strict level to the strictest.
enum TrustLevel: String, CaseIterable, Comparable, ExpressibleByArgument, Sendable {
  /// All plugins.
  case any
  /// Plugins whose hash is listed, or that a listed publisher has signed.
  case listed
  /// Plugins that a listed publisher has signed.
  case signed

  static func < (one: TrustLevel, other: TrustLevel) -> Bool {
    let order = allCases
    return order.firstIndex(of: one) ?? 0 < order.firstIndex(of: other) ?? 0
  }
}
