import CYaml

/// Composes the nodes of a YAML text from the events of libyaml.
struct YAMLComposer: ~Copyable {
  /// Allocated, because libyaml keeps its address.
  private let parser: UnsafeMutablePointer<yaml_parser_t>
  private let file: SourceFile
  private var anchors: [String: YAMLNode] = [:]
  /// The number of collections that enclose the current node. Bounded, because nodes are composed by recursion.
  private var depth = 0
  private static let maximumDepth = 100

  /// Returns the one node of the file's document; nil if the file has none. Throws the mistake that ends the parse.
  static func root(of file: SourceFile) throws(YAMLMistake) -> YAMLNode? {
    var text = file.text
    var result: Result<YAMLNode?, YAMLMistake> = .success(nil)
    text.withUTF8 { bytes in
      do throws(YAMLMistake) {
        var composer = try YAMLComposer(file, bytes)
        result = .success(try composer.document())
      } catch {
        result = .failure(error)
      }
    }
    return try result.get()
  }

  /// `bytes` are the file's text, which must outlive the composer.
  private init(_ file: SourceFile, _ bytes: UnsafeBufferPointer<UInt8>) throws(YAMLMistake) {
    self.file = file
    parser = .allocate(capacity: 1)
    guard yaml_parser_initialize(parser) == 1 else {
      parser.deallocate()
      throw YAMLMistake.outOfMemory
    }
    yaml_parser_set_encoding(parser, YAML_UTF8_ENCODING)
    yaml_parser_set_input_string(parser, bytes.baseAddress, bytes.count)
  }

  deinit {
    yaml_parser_delete(parser)
    parser.deallocate()
  }

  private mutating func document() throws(YAMLMistake) -> YAMLNode? {
    _ = try next()  // the start of the stream
    guard try next().isEnd == false else { return nil }
    let root = try node(from: next())
    _ = try next()  // the end of the document
    let event = try next()
    guard event.isEnd else {
      throw YAMLMistake(
        event.location,
        "but found another document (expected a single document in the stream that begins in line 1)")
    }
    return root
  }

  /// An event of libyaml, copied.
  private struct Event {
    enum Kind {
      case alias(String)
      case scalar(String, isPlain: Bool)
      case sequenceStart
      case mappingStart
      /// The end of a sequence or a mapping.
      case end
      case streamEnd
      /// The start of the stream, and the start and end of a document.
      case other
    }

    var kind: Kind
    var anchor: String?
    var tag: String?
    var location: Location

    var isEnd: Bool { if case .streamEnd = kind { true } else { false } }
  }

  private mutating func next() throws(YAMLMistake) -> Event {
    var event = yaml_event_t()
    guard yaml_parser_parse(parser, &event) == 1 else { throw YAMLMistake(parser.pointee, in: file) }
    defer { yaml_event_delete(&event) }
    var location = Location(event.start_mark)
    location.file = file.number
    func text(_ bytes: UnsafeMutablePointer<yaml_char_t>?) -> String? { bytes.map { String(cString: $0) } }
    switch event.type {
    case YAML_ALIAS_EVENT:
      return Event(kind: .alias(text(event.data.alias.anchor) ?? ""), location: location)
    case YAML_SCALAR_EVENT:
      let scalar = event.data.scalar
      let bytes = UnsafeBufferPointer(start: scalar.value, count: scalar.length)
      let isPlain = scalar.style == YAML_PLAIN_SCALAR_STYLE || scalar.style == YAML_ANY_SCALAR_STYLE
      return Event(
        kind: .scalar(String(decoding: bytes, as: UTF8.self), isPlain: isPlain), anchor: text(scalar.anchor),
        tag: text(scalar.tag), location: location)
    case YAML_SEQUENCE_START_EVENT:
      let start = event.data.sequence_start
      return Event(kind: .sequenceStart, anchor: text(start.anchor), tag: text(start.tag), location: location)
    case YAML_MAPPING_START_EVENT:
      let start = event.data.mapping_start
      return Event(kind: .mappingStart, anchor: text(start.anchor), tag: text(start.tag), location: location)
    case YAML_SEQUENCE_END_EVENT, YAML_MAPPING_END_EVENT:
      return Event(kind: .end, location: location)
    case YAML_STREAM_END_EVENT:
      return Event(kind: .streamEnd, location: location)
    default:
      return Event(kind: .other, location: location)
    }
  }

  private mutating func node(from event: Event) throws(YAMLMistake) -> YAMLNode {
    depth += 1
    defer { depth -= 1 }
    guard depth <= Self.maximumDepth else {
      throw YAMLMistake(event.location, "nested deeper than \(Self.maximumDepth) levels")
    }
    let content: YAMLNode.Content
    switch event.kind {
    case .alias(let name):
      guard let node = anchors[name] else { throw YAMLMistake(event.location, "found undefined alias") }
      return node
    case .scalar(let text, let isPlain):
      content = .scalar(text, isPlain: isPlain)
    case .sequenceStart:
      content = .sequence(try elements())
    case .mappingStart:
      content = .mapping(try fields())
    case .end, .streamEnd, .other:
      throw YAMLMistake(event.location, "found no node")
    }
    let node = YAMLNode(content: content, tag: event.tag, location: event.location)
    // An anchor may shadow an earlier one of the same name.
    if let anchor = event.anchor { anchors[anchor] = node }
    return node
  }

  private mutating func elements() throws(YAMLMistake) -> [YAMLNode] {
    var elements: [YAMLNode] = []
    while true {
      let event = try next()
      if case .end = event.kind { return elements }
      elements.append(try node(from: event))
    }
  }

  private mutating func fields() throws(YAMLMistake) -> [(key: YAMLNode, value: YAMLNode)] {
    var fields: [(key: YAMLNode, value: YAMLNode)] = []
    var lines: [String: Int] = [:]
    while true {
      let event = try next()
      if case .end = event.kind { return fields }
      let key = try node(from: event)
      if let name = key.text {
        if let line = lines[name] {
          throw YAMLMistake(repeated: name, at: key.location, first: line)
        }
        lines[name] = key.location.line
      }
      fields.append((key, try node(from: next())))
    }
  }
}

extension Location {
  /// A mark of libyaml counts from 0.
  fileprivate init(_ mark: yaml_mark_t) {
    self.init(line: mark.line + 1, column: mark.column + 1)
  }
}

/// The error that ends the parse of a YAML text.
struct YAMLMistake: Error {
  var mistake: Mistake

  fileprivate static var outOfMemory: YAMLMistake {
    YAMLMistake(Location(line: 1, column: 1), "out of memory")
  }

  fileprivate init(_ location: Location, _ problem: String) {
    mistake = Mistake(location: location, message: "not YAML: \(problem)")
  }

  fileprivate init(repeated name: String, at location: Location, first line: Int) {
    mistake = Mistake(
      location: location, message: "\"\(name)\" occurs more than once in this mapping; the first is in line \(line)")
  }

  /// The error that the parser stopped at.
  fileprivate init(_ parser: yaml_parser_t, in file: SourceFile) {
    guard parser.error != YAML_MEMORY_ERROR, let problem = parser.problem else {
      self = .outOfMemory
      return
    }
    let text = String(cString: problem)
    guard parser.error != YAML_READER_ERROR else {
      let value = parser.problem_value
      let code = value > 0 ? " (U+" + String(value, radix: 16, uppercase: true) + ")" : ""
      self.init(Self.location(ofByte: parser.problem_offset, in: file.text), text + code)
      return
    }
    var sentence = text
    if let context = parser.context {
      sentence += " (\(String(cString: context)) that begins in line \(parser.context_mark.line + 1))"
    }
    self.init(Location(parser.problem_mark), sentence)
  }

  private static func location(ofByte offset: Int, in text: String) -> Location {
    let before = String(decoding: text.utf8.prefix(offset), as: UTF8.self)
    let lines = before.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
    return Location(line: lines.count, column: (lines.last?.unicodeScalars.count ?? 0) + 1)
  }
}
