import CPromise

/// Conversion of arrays and objects to and from ARRAYs and MAPs. An address inside one is an OBJECT of a host type that
/// keeps the signature's type name, and an open file is one of another host type.
enum ValueConversion {
  private final class Address: Sendable {
    let pointer: PluginPointer
    init(_ pointer: PluginPointer) { self.pointer = pointer }
  }

  /// The type of wrapped addresses; `nil` if memory has run out.
  private nonisolated(unsafe) static let type = promise_type_register(
    "promise.plugin-pointer", nil, { Unmanaged<Address>.fromOpaque($0!).release() })

  /// Converts a value to C. The caller owns the reference. `nil` if memory has run out.
  static func wrap(_ value: PluginValue) -> promise_value_t? {
    switch value {
    case .array(let elements): wrap(elements)
    case .object(let members): wrap(members)
    case .pointer(let pointer): wrap(pointer)
    case .file(let file): file.abi
    default: promise_value_t(value)
    }
  }

  /// Converts an ARRAY, a MAP, or the OBJECT of an address or of an open file; `nil` for other values.
  ///
  /// - Throws: `ArgumentMismatch` as `PluginValue(_:depth:)` does for a part.
  static func content(
    _ value: UnsafePointer<promise_value_t>, depth: Int = 0
  ) throws(ArgumentMismatch) -> PluginValue? {
    switch Int(value.pointee.kind) {
    case Int(PROMISE_KIND_ARRAY):
      var elements: [PluginValue] = []
      for index in 0..<promise_value_count(value) {
        guard let element = promise_value_at(value, index) else { return nil }
        let content = try converting("[\(index)]") { () throws(ArgumentMismatch) in
          try PluginValue(element, depth: depth + 1)
        }
        elements.append(content)
      }
      return .array(elements)
    case Int(PROMISE_KIND_MAP):
      var members: [PluginMember] = []
      for index in 0..<promise_value_count(value) {
        guard let member = promise_value_at(value, index) else { return nil }
        let name = key(value, index)
        let content = try converting(".\(name)") { () throws(ArgumentMismatch) in
          try PluginValue(member, depth: depth + 1)
        }
        members.append(PluginMember(name, content))
      }
      return .object(members)
    case Int(PROMISE_KIND_OBJECT):
      if let file = OpenFile.file(value) { return .file(file) }
      guard promise_value_is(value, type), let address = promise_value_data(value, nil) else { return nil }
      return .pointer(Unmanaged<Address>.fromOpaque(UnsafeRawPointer(address)).takeUnretainedValue().pointer)
    default: return nil
    }
  }

  private static func wrap(_ elements: [PluginValue]) -> promise_value_t? {
    guard let builder = promise_builder_new(promise_kind_t(PROMISE_KIND_ARRAY), elements.count) else { return nil }
    for element in elements {
      guard var value = wrap(element), promise_builder_add(builder, &value) == PROMISE_OK else {
        promise_builder_drop(builder)
        return nil
      }
    }
    return finish(builder)
  }

  private static func wrap(_ members: [PluginMember]) -> promise_value_t? {
    guard let builder = promise_builder_new(promise_kind_t(PROMISE_KIND_MAP), members.count) else { return nil }
    for member in members {
      guard var value = wrap(member.value),
        promise_builder_set(builder, member.name, member.name.utf8.count, &value) == PROMISE_OK
      else {
        promise_builder_drop(builder)
        return nil
      }
    }
    return finish(builder)
  }

  private static func wrap(_ pointer: PluginPointer) -> promise_value_t? {
    var wrapped = promise_value_t()
    // Without a type the object would not take over the payload.
    guard type != nil else { return nil }
    let address = Unmanaged.passRetained(Address(pointer)).toOpaque()
    return promise_value_object(&wrapped, type, address) == PROMISE_OK ? wrapped : nil
  }

  private static func finish(_ builder: OpaquePointer) -> promise_value_t? {
    var value = promise_value_t()
    return promise_builder_finish(builder, &value) == PROMISE_OK ? value : nil
  }

  private static func key(_ map: UnsafePointer<promise_value_t>, _ index: Int) -> String {
    var length = 0
    let key = UnsafeRawBufferPointer(start: promise_value_key(map, index, &length), count: length)
    return String(decoding: key, as: UTF8.self)
  }
}
