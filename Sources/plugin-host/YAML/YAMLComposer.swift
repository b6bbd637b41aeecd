import CYaml

/// Composes the nodes of a YAML text from the events of libyaml.
struct YAMLComposer: ~Copyable {
  /// Allocated, because libyaml keeps its address.
  private let parser: UnsafeMutablePointer<yaml_parser_t>
  private let file: SourceFile
  private var anchors: [String: Anchored] = [:]
  /// The number of collections that enclose the current node. Bounded, because nodes are composed and read by
  /// recursion.
  private var depth = 0
  /// The depth of the deepest node since the current one began.
  private var deepest = 0
  private static let maximumDepth = 100
  private var extent = YAMLExtent()
  /// The part of the extent that aliases add. Bounded, because ten lines of ten aliases each stand for 10^10 nodes.
  private var repeated = YAMLExtent()

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

  /// - Parameter bytes: the file's text, which must outlive the composer.
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

  /// A node with an anchor.
  private struct Anchored {
    var node: YAMLNode
    /// The number of nested levels, its own included.
    var height: Int
    var extent: YAMLExtent
  }

  private mutating func node(from event: Event) throws(YAMLMistake) -> YAMLNode {
    depth += 1
    let outer = (deepest: deepest, extent: extent)
    deepest = depth
    defer {
      depth -= 1
      deepest = max(deepest, outer.deepest)
    }
    try checkDepth(at: event.location)
    if case .alias(let name) = event.kind { return try alias(name, at: event.location) }
    extent.nodes += 1
    let content: YAMLNode.Content
    switch event.kind {
    case .scalar(let text, let isPlain):
      extent.bytes += text.utf8.count
      content = .scalar(text, isPlain: isPlain)
    case .sequenceStart:
      content = .sequence(try elements())
    case .mappingStart:
      content = .mapping(try fields())
    case .alias, .end, .streamEnd, .other:
      throw YAMLMistake(event.location, "found no node")
    }
    var node = YAMLNode(content: content, tag: event.tag, location: event.location)
    if let tag = event.tag {
      do throws(YAMLTagMistake) {
        node.content = try content.tagged(tag)
      } catch {
        throw YAMLMistake(tag: error, of: node)
      }
    }
    // An anchor may shadow an earlier one of the same name.
    if let anchor = event.anchor {
      anchors[anchor] = Anchored(node: node, height: deepest - depth + 1, extent: extent - outer.extent)
    }
    return node
  }

  private mutating func alias(_ name: String, at location: Location) throws(YAMLMistake) -> YAMLNode {
    guard let anchored = anchors[name] else { throw YAMLMistake(location, "found undefined alias *\(name)") }
    deepest = depth + anchored.height - 1
    try checkDepth(at: location)
    extent += anchored.extent
    repeated += anchored.extent
    guard repeated.isWithinLimits else { throw YAMLMistake(repeated: repeated, by: name, at: location) }
    return anchored.node
  }

  private func checkDepth(at location: Location) throws(YAMLMistake) {
    guard deepest <= Self.maximumDepth else {
      throw YAMLMistake(location, "nested deeper than \(Self.maximumDepth) levels")
    }
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
  /// Converts a mark of libyaml, which counts from 0.
  init(_ mark: yaml_mark_t) {
    self.init(line: mark.line + 1, column: mark.column + 1)
  }
}
