/// Verifies a shared library before the system's loader sees it. The loader trusts the file: a truncated one ends the
/// process with SIGBUS inside dlopen(), and a wrong entry point is a jump into nowhere.
///
/// The check cannot prove that a file is harmless. It rejects a file that is broken, is built for another machine, asks
/// for memory that is writable and executable, or does not export the functions that will be called. Headers and tables
/// are read as the loader reads them; nothing of the file is mapped, and none of its code runs.
struct ELFVerifier {
  private let path: String
  private let reader: FileReader
  /// The functions that the file has to export.
  private let functions: [String]

  /// Verifies a file. The result has all tables that are needed later: nothing of the file is read again.
  @discardableResult
  static func verify(
    _ file: PluginFile, exporting functions: [String] = [PluginEntry.name],
    within budget: VerificationBudget = VerificationBudget()
  ) throws(PluginError) -> ELFTableCheck {
    let result: Result<ELFTableCheck, PluginError>
    do throws(PluginError) {
      let reader = FileReader(file, within: budget)
      result = .success(try ELFVerifier(path: file.path, reader: reader, functions: functions).verify())
    } catch {
      result = .failure(error)
    }
    // A read that was one too many looks like the end of the file.
    if budget.isSpent { throw budget.error(file.path) }
    return try result.get()
  }

  /// Checks the kind of file that the header declares, without the rest.
  static func verifyKind(_ file: PluginFile) throws(PluginError) {
    _ = try ELFVerifier(path: file.path, reader: FileReader(file), functions: []).header()
  }

  private func verify() throws(PluginError) -> ELFTableCheck {
    let header = try self.header()
    let segments = try self.segments(header)
    try checkSegments(segments)
    let tables: ELFTableCheck
    do throws(ELFMistake) {
      let image = ELFImage(reader: reader, segments: segments)
      let start: UInt64 = FileReader.number(header, at: 32)
      try ELFSegmentCheck(image).check(headerTable: start..<start + UInt64(segments.count * ELFSegment.size))
      tables = try ELFTableCheck(ELFDynamic(image))
    } catch {
      throw PluginError(error.kind, path, error.message)
    }
    for function in functions { try check(function, tables, segments) }
    return tables
  }

  /// Checks the kind of file that the header declares.
  private func header() throws(PluginError) -> [UInt8] {
    guard reader.size > 0 else { throw PluginError(.notAPlugin, path, "is empty: expected a shared library") }
    guard reader.bytes(at: 0, count: ELF.magic.count) == ELF.magic else {
      throw PluginError(.notAPlugin, path, "is not an ELF file: expected a shared library")
    }
    guard let header = reader.bytes(at: 0, count: ELF.headerSize) else { throw truncated("its header") }
    let is64Bit = header[4] == 2
    let isLittleEndian = header[5] == 1
    let machine =
      isLittleEndian ? UInt16(header[18]) | UInt16(header[19]) << 8 : UInt16(header[19]) | UInt16(header[18]) << 8
    guard is64Bit, isLittleEndian, machine == ELF.hostMachine else {
      let name = ELF.name(ofMachine: machine, is64Bit: is64Bit, isLittleEndian: isLittleEndian)
      let expected = ELF.name(ofMachine: ELF.hostMachine, is64Bit: true, isLittleEndian: true)
      throw PluginError(.wrongArchitecture, path, "is built for \(name), expected \(expected)")
    }
    let type: UInt16 = FileReader.number(header, at: 16)
    guard type == ELF.typeShared else {
      let name =
        [1: "an object file that was not linked", 2: "a program", 4: "a core dump"][type]
        ?? "an ELF file of type \(type)"
      throw PluginError(.notAPlugin, path, "is \(name), expected a shared library")
    }
    return header
  }

  /// The maximum number of program headers, several times that of any linker: each address is looked for among them,
  /// and the system's loader copies them to its stack.
  private static let maximumHeaders = 64

  private func segments(_ header: [UInt8]) throws(PluginError) -> [ELFSegment] {
    let offset: UInt64 = FileReader.number(header, at: 32)
    let entrySize: UInt16 = FileReader.number(header, at: 54)
    let count: UInt16 = FileReader.number(header, at: 56)
    guard Int(entrySize) == ELFSegment.size, count > 0 else {
      throw PluginError(.notAPlugin, path, "has no well-formed program headers: expected a shared library")
    }
    guard count <= Self.maximumHeaders else {
      throw PluginError(
        .damaged, path, "is damaged: it has \(count) program headers, expected at most \(Self.maximumHeaders)")
    }
    guard let table = reader.bytes(at: offset, count: Int(count) * ELFSegment.size) else {
      throw truncated("its program headers")
    }
    // The section headers are not needed at run time, but they are last in the file: a truncated download lacks them
    // first.
    let sections: UInt64 = FileReader.number(header, at: 40)
    let sectionSize: UInt16 = FileReader.number(header, at: 58)
    let sectionCount: UInt16 = FileReader.number(header, at: 60)
    guard sections == 0 || reader.holds(sections, UInt64(sectionSize) * UInt64(sectionCount)) else {
      throw truncated("its section headers")
    }
    return (0..<Int(count)).map { ELFSegment(table, at: $0 * ELFSegment.size) }
  }

  private func checkSegments(_ segments: [ELFSegment]) throws(PluginError) {
    for segment in segments
    where segment.type == ELFSegment.load || segment.type == ELFSegment.dynamic
      || ELFSegment.parts.contains(segment.type)
    {
      guard reader.holds(segment.offset, segment.fileSize) else { throw truncated("its segments") }
    }
    for segment in segments where segment.type == ELFSegment.load {
      guard segment.fileSize <= segment.memorySize, segment.address <= ELFSegment.end,
        segment.memorySize <= ELFSegment.end - segment.address
      else {
        throw PluginError(.notAPlugin, path, "has a segment that does not fit into memory: expected a shared library")
      }
      guard !(segment.isWritable && segment.isExecutable) else {
        throw PluginError(
          .unsafeMemory, path, "has a segment that is both writable and executable, expected the one or the other")
      }
    }
    guard let stack = segments.first(where: { $0.type == ELFSegment.stack }), !stack.isExecutable else {
      throw PluginError(.unsafeMemory, path, "needs an executable stack, expected a plugin linked with -z noexecstack")
    }
  }

  private func check(_ name: String, _ tables: ELFTableCheck, _ segments: [ELFSegment]) throws(PluginError) {
    let expected = "expected a function that the \(name == PluginEntry.name ? "plugin" : "library") exports"
    guard let symbol = tables.symbol(named: name) else {
      let hint = name == PluginEntry.name ? "" : Suggestion.near(name, among: tables.functionNames)
      throw PluginError(.noEntry, path, "does not define \(name): \(expected)\(hint)")
    }
    guard symbol.isFunction || symbol.isIndirectFunction && name != PluginEntry.name else {
      throw PluginError(.noEntry, path, "defines \(name) as \(symbol.kindName): \(expected)")
    }
    guard segments.contains(where: { $0.type == ELFSegment.load && $0.isExecutable && $0.contains(symbol.address, 1) })
    else {
      throw PluginError(.noEntry, path, "has \(name) outside its code: \(expected)")
    }
  }

  private func truncated(_ part: String) -> PluginError {
    PluginError(.truncated, path, "ends at byte \(reader.size), before the end of \(part): the file is truncated")
  }
}
