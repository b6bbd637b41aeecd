import CPromise

/// The descriptor that promise_plugin_entry() returned, read and checked.
struct PluginDescriptor {
  typealias Load =
    @convention(c) (UnsafePointer<promise_host_t>, UnsafeMutablePointer<promise_value_t>) -> promise_status_t
  typealias Unload = @convention(c) () -> Void

  let description: PluginDescription
  let load: Load?
  let unload: Unload?
  /// The C functions, in the order of `description.functions`.
  let entries: [promise_function_t]

  static let hostABI: UInt32 = PROMISE_ABI_VERSION

  /// The limit of a count in the plugin's memory: larger than that of a real plugin, smaller than that of garbage.
  static let maximumFunctions = 65_536
  static let maximumRequirements = 1_024

  init(
    description: PluginDescription, load: Load?, unload: Unload?, entries: [promise_function_t]
  ) {
    self.description = description
    self.load = load
    self.unload = unload
    self.entries = entries
  }

  init(of library: SharedLibrary) throws(PluginError) {
    let path = library.path
    guard let memory = try PluginEntry(of: library).descriptor(hostABI: Self.hostABI, path) else {
      throw PluginError(
        .abiRange(host: Self.hostABI, plugin: nil), path,
        "does not support ABI version \(Self.hostABI), the version of this host")
    }
    let fields = try DescriptorFields(descriptor: memory, path: path)
    let abi = try Self.abi(fields)
    let id = try fields.text(\promise_plugin_t.id, "id")
    guard PluginDescription.isID(id) else {
      throw fields.error(
        "has the id \(PluginValue.string(id).json), expected one of letters, digits, '.', '-' and '_'")
    }
    let version = try fields.text(\promise_plugin_t.version, "version")
    guard !version.isEmpty else { throw fields.error("has an empty version, expected one such as \"1.0.0\"") }
    let (functions, entries) = try Self.functions(fields, of: library)
    try StructLayouts.check(functions, fields, size: Int(fields.load(\promise_plugin_t.size, as: UInt32.self)))
    description = PluginDescription(
      path: path, id: id, version: version,
      description: try fields.optionalText(\promise_plugin_t.description, "description"),
      required: try Self.requirements(fields), abi: abi, functions: functions)
    load = try fields.code(\promise_plugin_t.load, "load", as: Load.self)
    unload = try fields.code(\promise_plugin_t.unload, "unload", as: Unload.self)
    self.entries = entries
  }

  /// Returns the range of ABI versions. Read before anything whose meaning may depend on it.
  private static func abi(_ fields: DescriptorFields) throws(PluginError) -> ClosedRange<UInt32> {
    let size = fields.load(\promise_plugin_t.size, as: UInt32.self)
    // Fields added after version 1 of the ABI are read only if the size covers them.
    let expected = MemoryLayout<promise_plugin_t>.offset(of: \.layouts) ?? MemoryLayout<promise_plugin_t>.size
    guard size >= expected else {
      throw fields.error(
        "has a descriptor of \(size) bytes, expected sizeof(promise_plugin_t), which is at least \(expected)")
    }
    let oldest = fields.load(\promise_plugin_t.abi_min, as: UInt32.self)
    let newest = fields.load(\promise_plugin_t.abi_max, as: UInt32.self)
    guard oldest >= 1, oldest <= newest else {
      throw fields.error(
        "has abi_min \(oldest) and abi_max \(newest), expected 1 or more, and abi_max not less than abi_min")
    }
    guard (oldest...newest).contains(hostABI) else {
      throw PluginError(
        .abiRange(host: hostABI, plugin: oldest...newest), fields.path,
        "supports ABI versions \(oldest) to \(newest), expected a range that includes \(hostABI), the version of this host"
      )
    }
    return oldest...newest
  }

  private static func requirements(_ fields: DescriptorFields) throws(PluginError) -> [String] {
    guard let list = fields.load(\promise_plugin_t.required, as: UnsafeRawPointer?.self) else { return [] }
    var ids: [String] = []
    while let pointer = try fields.pointer(ids.count, of: list, "required") {
      guard ids.count < maximumRequirements else {
        throw fields.error("requires more than \(maximumRequirements) plugins, expected a NULL after the last")
      }
      let id = try fields.text(pointer, "required[\(ids.count)]")
      guard PluginDescription.isID(id) else {
        throw fields.error(
          "requires the plugin \(PluginValue.string(id).json), expected an id of letters, digits, '.', '-' and '_'")
      }
      ids.append(id)
    }
    return ids
  }
}

extension PluginDescriptor {
  private static func functions(
    _ fields: DescriptorFields, of library: SharedLibrary
  ) throws(PluginError) -> ([FunctionDescription], [promise_function_t]) {
    let count = fields.load(\promise_plugin_t.function_count, as: Int.self)
    guard (0...maximumFunctions).contains(count) else {
      throw fields.error("has \(UInt(bitPattern: count)) functions, expected at most \(maximumFunctions)")
    }
    guard count > 0 else { return ([], []) }
    guard let table = fields.load(\promise_plugin_t.functions, as: UnsafeRawPointer?.self) else {
      throw fields.error("has \(count) functions, but the table 'functions' is NULL")
    }
    let size = Int(fields.load(\promise_plugin_t.function_size, as: UInt32.self))
    let expected = MemoryLayout<promise_plugin_function_t>.size
    guard size >= expected, size % MemoryLayout<promise_plugin_function_t>.alignment == 0 else {
      throw fields.error(
        "has functions of \(size) bytes each, expected sizeof(promise_plugin_function_t), which is \(expected)")
    }
    var functions: [FunctionDescription] = []
    var entries: [promise_function_t] = []
    var indices: [String: Int] = [:]
    for index in 0..<count {
      let (function, entry) = try self.function(
        fields.row(index, of: table, size, as: promise_plugin_function_t.self, "functions"), "functions[\(index)]",
        of: library)
      if let first = indices.updateValue(index, forKey: function.name) {
        throw fields.error("has two functions named '\(function.name)', functions[\(first)] and functions[\(index)]")
      }
      functions.append(function)
      entries.append(entry)
    }
    return (functions, entries)
  }

  private static func function(
    _ fields: DescriptorFields, _ name: String, of library: SharedLibrary
  ) throws(PluginError) -> (FunctionDescription, promise_function_t) {
    let text = try fields.text(\promise_plugin_function_t.signature, "\(name).signature")
    let signature: Signature
    do {
      signature = try Signature(parsing: text)
    } catch {
      throw PluginError(.badSignature(error), fields.path, "has a mistake in \(name).signature, \(error)")
    }
    guard let entry = try fields.code(\promise_plugin_function_t.entry, "\(name).entry", as: promise_function_t.self)
    else {
      throw fields.error("has NULL as \(name).entry, expected the C function of \(signature)")
    }
    try ReleaseFunctions.check(text, in: library, "\(name).signature")
    let description = try fields.optionalText(\promise_plugin_function_t.description, "\(name).description")
    return (FunctionDescription(signature: signature, description: description), entry)
  }
}
