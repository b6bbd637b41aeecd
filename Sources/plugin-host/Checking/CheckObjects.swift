import PluginRuntime
import Promises

/// The objects that the functions of a plugin make for the calls of a check.
final class CheckObjects {
  private let plugin: PluginDescription
  private let host: Host
  /// The arguments that objects were made from, which the objects may use. One element for each object that a call got,
  /// in the order of the calls.
  private var kept: [[[Argument]]] = []
  private var current: [[Argument]] = []

  /// The number of objects for which the makers' arguments are kept: more than are in use at a time.
  private static let mostKept = 256
  /// The most objects of different types that are made one from the other.
  private static let longestChain = 5

  init(of plugin: PluginDescription, in host: Host) { (self.plugin, self.host) = (plugin, host) }

  /// Returns a new object of the type, from the first function that makes one; `nil` if none does.
  func object(_ name: String, _ dice: inout Dice) -> PluginValue? {
    current = []
    defer {
      kept.append(current)
      if kept.count > Self.mostKept { Self.release(kept.removeFirst()) }
      current = []
    }
    return object(name, for: [], &dice)
  }

  /// Releases the arguments, in reverse order.
  func release() {
    while let last = kept.popLast() { Self.release(last) }
  }

  private static func release(_ arguments: consuming [[Argument]]) {
    while arguments.popLast() != nil {}
  }

  /// Makes an object, possibly one that is needed to make those of the types `others`.
  private func object(_ name: String, for others: [String], _ dice: inout Dice) -> PluginValue? {
    guard !others.contains(name), others.count < Self.longestChain else { return nil }
    for function in plugin.functions where function.signature.gives(pointer: name) {
      var values = CheckValues(dice: dice) { [self] needed, dice in object(needed, for: others + [name], &dice) }
      for _ in 0..<5 {
        guard let arguments = values.arguments(for: function.signature) else { break }
        let promise = host.call(function.name, of: plugin.id, arguments)
        _ = dice.next()
        if let found = promise.value?.pointer(named: name) {
          current.append(arguments)
          return found
        }
        promise.discard()
      }
    }
    return nil
  }
}

extension Signature {
  /// Whether a call may return an object of the type.
  func gives(pointer name: String) -> Bool {
    ([yielded].compactMap(\.self) + outputs.map(\.type)).contains { type in
      if case .promise(let held?) = type { return held.content == .pointer(name) }
      return type.content == .pointer(name)
    }
  }
}

extension PluginValue {
  /// Returns the first object of the type in the value.
  fileprivate func pointer(named name: String) -> PluginValue? {
    switch self {
    case .pointer(let pointer): pointer.name == name ? self : nil
    case .object(let members): members.lazy.compactMap { $0.value.pointer(named: name) }.first
    default: nil
    }
  }
}
