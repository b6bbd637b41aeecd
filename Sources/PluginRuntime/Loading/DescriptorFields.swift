import CPluginEdge
import CPromise

/// A struct of C that a plugin filled, copied. Its pointers may lead anywhere, and fields that the header calls nonnull
/// may be NULL: memory behind them is read only where it is mapped.
struct DescriptorFields {
  let path: String
  private let bytes: [UInt8]

  /// Copies a plugin's descriptor, which may be of another version of the ABI: fields that it does not have are 0.
  init(descriptor memory: UnsafeRawPointer, path: String) throws(PluginError) {
    let address = UInt(bitPattern: memory)
    let size: UInt32 = FileReader.number(try Self.copy(address, 4, path, "its descriptor"), at: 0)
    let known = MemoryLayout<promise_plugin_t>.size
    let copied = try Self.copy(address, min(max(Int(size), 4), known), path, "its descriptor")
    self.init(path: path, bytes: copied + [UInt8](repeating: 0, count: known - copied.count))
  }

  private init(path: String, bytes: [UInt8]) {
    self.path = path
    self.bytes = bytes
  }

  /// Returns a row of a table whose rows have this size.
  func row<Row>(
    _ index: Int, of table: UnsafeRawPointer, _ size: Int, as type: Row.Type, _ name: String
  ) throws(PluginError) -> DescriptorFields {
    let address = UInt(bitPattern: table) &+ UInt(bitPattern: index) &* UInt(bitPattern: size)
    return DescriptorFields(
      path: path, bytes: try Self.copy(address, MemoryLayout<Row>.size, path, "\(name)[\(index)]"))
  }

  /// Returns an element of a list of texts; `nil` if it is NULL.
  func pointer(_ index: Int, of list: UnsafeRawPointer, _ name: String) throws(PluginError) -> UnsafePointer<CChar>? {
    let size = MemoryLayout<UInt>.size
    let address = UInt(bitPattern: list) &+ UInt(index * size)
    let number: UInt64 = FileReader.number(try Self.copy(address, size, path, "\(name)[\(index)]"), at: 0)
    return UnsafePointer(bitPattern: UInt(number))
  }

  func load<Root, Field, T>(_ field: KeyPath<Root, Field>, as type: T.Type) -> T {
    guard let offset = MemoryLayout<Root>.offset(of: field) else {
      preconditionFailure("every field of a C struct has an offset")
    }
    // An array's memory has the alignment of malloc().
    return bytes.withUnsafeBytes { $0.load(fromByteOffset: offset, as: T.self) }
  }

  /// Returns a function; `nil` if it is NULL.
  func code<Root, Field, T>(_ field: KeyPath<Root, Field>, _ name: String, as type: T.Type) throws(PluginError) -> T? {
    if let address = load(field, as: UnsafeRawPointer?.self), !plugin_memory_is_code(address) {
      throw error("has \(name) at \(UInt64(UInt(bitPattern: address)).hexadecimal), which is not code")
    }
    return load(field, as: T?.self)
  }

  func text<Root, Field>(_ field: KeyPath<Root, Field>, _ name: String) throws(PluginError) -> String {
    guard let text = try optionalText(field, name) else { throw error("has NULL as \(name), expected text") }
    return text
  }

  func optionalText<Root, Field>(_ field: KeyPath<Root, Field>, _ name: String) throws(PluginError) -> String? {
    guard let pointer = load(field, as: UnsafePointer<CChar>?.self) else { return nil }
    return try text(pointer, name)
  }

  /// The maximum length of a text in bytes, more than that of any text of a descriptor.
  private static let maximumText = 1 << 20

  func text(_ pointer: UnsafePointer<CChar>, _ name: String) throws(PluginError) -> String {
    var text: [UInt8] = []
    var isOver = false
    while !isOver, text.count < Self.maximumText {
      let copied = Self.copied(UInt(bitPattern: pointer) &+ UInt(text.count), 256)
      let part = copied.prefix { $0 != 0 }
      isOver = part.count < copied.count
      guard isOver || copied.count == 256 else { throw Self.outside(UInt(bitPattern: pointer), path, name) }
      text += part
    }
    guard isOver else { throw error("has \(name) of more than \(Self.maximumText) bytes, expected a NUL at its end") }
    guard let valid = String(validating: text, as: UTF8.self) else {
      throw error("has bytes as \(name) that are not UTF-8")
    }
    return valid
  }

  func error(_ message: String) -> PluginError { PluginError(.badDescriptor, path, message) }

  /// Returns `count` bytes of the memory, or those before the first that cannot be read.
  private static func copied(_ address: UInt, _ count: Int) -> [UInt8] {
    [UInt8](unsafeUninitializedCapacity: count) { buffer, initialized in
      guard let start = buffer.baseAddress else { return }
      initialized = plugin_memory_copy(start, UnsafeRawPointer(bitPattern: address), count)
    }
  }

  private static func copy(
    _ address: UInt, _ count: Int, _ path: String, _ name: String
  ) throws(PluginError) -> [UInt8] {
    let bytes = copied(address, count)
    guard bytes.count == count else { throw outside(address, path, name) }
    return bytes
  }

  private static func outside(_ address: UInt, _ path: String, _ name: String) -> PluginError {
    PluginError(.badDescriptor, path, "has \(name) at \(UInt64(address).hexadecimal), where there is no memory")
  }
}
