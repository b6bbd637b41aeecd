import ArgumentParser
import Glibc
import PluginRuntime

struct AdoptCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "adopt",
    abstract: "Write a first file that makes a library a plugin, from its C header.",
    discussion: """
      Reads the header with clang, and writes the signatures of the functions that the library exports. What a prototype \
      leaves open is marked in the file, to be checked; standard error says which functions were left out, and why.

        plugin-host adopt zlib.h --library libz.so.1 --output zlib.adopt.yaml

      \(ExitStatus.help)
      """)

  @Option(help: ArgumentHelp("The library: a path, or a name such as libz.so.1.", valueName: "library"))
  var library: String

  @Option(help: ArgumentHelp("The plugin's id; without it, the header's name.", valueName: "id"))
  var id: String?

  @Option(
    name: [.short, .long],
    help: ArgumentHelp("Write the file there instead of to standard output.", valueName: "file"))
  var output: String?

  @Option(
    name: .customShort("I", allowingJoined: true), parsing: .unconditionalSingleValue,
    help: ArgumentHelp("A folder for clang to look for headers in; may be given several times.", valueName: "dir"))
  var directories: [String] = []

  @Option(
    name: .customShort("D", allowingJoined: true), parsing: .unconditionalSingleValue,
    help: ArgumentHelp("A macro for clang to define; may be given several times.", valueName: "name[=value]"))
  var macros: [String] = []

  @Option(
    name: .customLong("flag"), parsing: .unconditionalSingleValue,
    help: ArgumentHelp("Another option for clang; may be given several times.", valueName: "option"))
  var flags: [String] = []

  @Option(
    name: .customLong("types"),
    help: ArgumentHelp(
      "A YAML file with the meanings of types of the header; may be given several times.", valueName: "file"))
  var maps: [String] = []

  @Flag(
    help: "Call each function with random arguments, in a confined process; leave out those that write elsewhere."
  )
  var check = false

  @Flag(
    help: ArgumentHelp(
      "Draft functions for whose memory the header states no size, too: they take memory that the caller allocates."))
  var callerMemory = false

  @Option(help: ArgumentHelp("The clang to use; otherwise the newest in PATH.", valueName: "program"))
  var clang: String?

  @Option(
    parsing: .unconditional, help: ArgumentHelp("Give up if clang takes longer than that.", valueName: "seconds"),
    transform: Seconds.init(option:))
  var timeout = Seconds(value: 60)

  @ArgumentParser.Argument(
    help: ArgumentHelp("A C header: a path, or a name that the compiler finds.", valueName: "header"))
  var header: String

  /// The expression for the size of a type; 0 for one whose alignment the host's memory may not have.
  private static func size(of type: String) -> String { "_Alignof(\(type)) <= 16 ? sizeof(\(type)) : 0" }

  func run() throws {
    let writer = ResultWriter(format: .raw, path: output)
    try writer.checkDestination()
    let given = try maps.map { (path) throws(Failure) in try TypeMap.read(path) }
    var types = TypeMap.bundled
    for map in given { types.add(map) }
    let exports: LibraryExports
    do {
      exports = try LibraryExports(of: library)
    } catch {
      throw Failure(.notLoaded, "\(error)".displayLine)
    }
    if let first = exports.missing.first {
      let message = "\(library) cannot be loaded: it needs '\(first)', which no library that it links exports"
      throw Failure(.notLoaded, message.displayLine)
    }
    let path = try Clang.path(ofHeader: header, directories: directories)
    let flags = directories.map { "-I\($0)" } + macros.map { "-D\($0)" } + self.flags
    let clang = Clang(program: clang, timeout: timeout, flags: flags)
    let declarations = try clang.declarations(of: path)
    var contents = Header(declarations, types: types) {
      (try? FileBytes.readRegular(path: $0, limit: FileBytes.longest)) ?? []
    }
    let kinds = ["TypedefDecl", "RecordDecl", "EnumDecl"]
    let declared = Set(declarations.compactMap { kinds.contains($0.kind) ? $0.name : nil })
    for (path, map) in zip(maps, given) {
      let messages = map.unmatched(in: contents, types: declared, exports: exports.contains)
      StandardError.write(lines: messages.map { "plugin-host: warning: \(path): \($0)".displayLine })
    }
    contents.hasCallerMemory = callerMemory
    contents.isCalled = check
    let macros = try clang.macros(of: path) { Clang.origin(of: $0, inHeader: path) == .own }
    let made = CallerAllocated(contents, exports: exports.contains).types
    let sizes = Set(made).union(StructFunctions.types(contents)).sorted()
    let bounds = contents.boundNames.subtracting(macros).sorted()
    let values = try clang.values(of: macros + bounds + sizes.map(Self.size), behind: path)
    contents.setBounds { if case .int(let bound)? = values[$0] { bound } else { nil } }
    contents.macros = MacroNames(macros, values: values)
    for type in sizes {
      if case .int(let size)? = values[Self.size(of: type)], size > 0 { contents.sizes[type] = Int(size) }
    }
    // The draft's reader takes a relative path as relative to the draft's folder.
    let written = library.isPath ? exports.path : library
    var draft = AdoptionDraft(contents, library: written, exports: exports.contains, provides: exports.provides) {
      Clang.origin(of: $0, inHeader: path)
    }
    let id = id ?? AdoptionFile.id(ofHeader: path)
    if check {
      let findings = try DraftCheck().findings(of: &draft) { $0.yaml(id: id, library: written, header: header) }
      StandardError.write(lines: CheckTable(draft, findings).lines)
      draft.apply(findings)
    }
    // A draft without functions is not written, so that an existing file stays as it was.
    if !draft.functions.isEmpty {
      let yaml = draft.yaml(id: id, library: written, header: header)
      try writer.write(.string(yaml))
    }
    StandardError.write(lines: draft.report(header: header))
    guard !draft.functions.isEmpty else {
      let others = draft.elsewhere.sorted { ($1.value, $0.key) < ($0.value, $1.key) }.prefix(5)
      let list = others.map { "\($0.key) (\($0.value))" }.joined(separator: ", ")
      let hint = others.isEmpty ? "" : "; of the headers that it includes, these declare some: \(list)"
      let message = "\(header): declares no function that \(exports.path) exports and that can be called\(hint)"
      throw Failure(.rejected, message.displayLine)
    }
  }
}
