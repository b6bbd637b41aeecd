import PluginRuntime

/// A declaration of a header, or a part of one, as clang's syntax tree has it.
struct HeaderNode {
  var kind = ""
  var id = ""
  var name: String?
  /// The exported symbol.
  var symbol: String?
  /// The type as C writes it: `unsigned long (const char *)`; of an enum, the one that it has in C23.
  var type = ""
  /// `struct` or `union`.
  var tag = ""
  var storage = ""
  var text = ""
  /// The value of a constant.
  var value = ""
  /// The parameter that a documentation comment is about, and whether it is `in`, `out` or both.
  var parameter: String?
  var direction = ""
  /// The id of the struct, union or enum that the type declares in place.
  var tagID: String?
  var isComplete = false
  var isBitField = false
  var isInline = false
  /// The file that declares it; of an attribute, the file that it is written in.
  var file = ""
  /// The byte offsets of the declaration's text, its name, and its last word.
  var start = 0
  var nameStart = 0
  var lastStart = 0
  var inner: [HeaderNode] = []
}

/// Reads clang's syntax tree as JSON.
struct HeaderNodeReader {
  private var scanner: JSONScanner
  /// clang names the file of a place only if it differs from the file of the previous place.
  private var file = ""
  /// The offset of the last place that was read, and the file that has the text: for text of a macro, the macro's file.
  private var offset = 0
  private var spelled = ""

  /// The depth limit: deeper than any declaration. Deeper nodes are bodies of functions, which are not needed.
  private static let maximumDepth = 64

  private init(_ json: [UInt8]) { scanner = JSONScanner(json) }

  /// Reads the declarations of a translation unit.
  static func read(_ json: [UInt8]) throws(JSONError) -> [HeaderNode] {
    var reader = HeaderNodeReader(json)
    return try reader.node(depth: 0).inner
  }

  /// Declarations one after another, as a filtered tree has them.
  static func readAll(_ json: [UInt8]) throws(JSONError) -> [HeaderNode] {
    var reader = HeaderNodeReader(json)
    var nodes: [HeaderNode] = []
    while reader.scanner.next != nil { nodes.append(try reader.node(depth: 0)) }
    return nodes
  }

  private mutating func node(depth: Int) throws(JSONError) -> HeaderNode {
    var node = HeaderNode()
    var object = try scanner.beginObject()
    while let (key, _) = try scanner.member(&object) { try member(key, of: &node, depth: depth) }
    return node
  }

  private mutating func member(_ key: String, of node: inout HeaderNode, depth: Int) throws(JSONError) {
    switch key {
    case "kind": node.kind = try scanner.repairedString()
    case "id": node.id = try scanner.repairedString()
    case "name": node.name = try scanner.repairedString()
    case "mangledName": node.symbol = try scanner.repairedString()
    case "tagUsed": node.tag = try scanner.repairedString()
    case "storageClass": node.storage = try scanner.repairedString()
    case "text": node.text = try scanner.repairedString()
    case "value" where node.kind == "ConstantExpr": node.value = try scanner.repairedString()
    case "param": node.parameter = try scanner.repairedString()
    case "direction": node.direction = try scanner.repairedString()
    case "completeDefinition": node.isComplete = try scanner.bool()
    case "isBitfield": node.isBitField = try scanner.bool()
    case "inline": node.isInline = try scanner.bool()
    case "type", "fixedUnderlyingType": node.type = try reference("qualType") ?? ""
    case "ownedTagDecl": node.tagID = try reference("id")
    case "loc":
      try place()
      (node.file, node.nameStart) = (file, offset)
    case "range":
      var range = try scanner.beginObject()
      while let (end, _) = try scanner.member(&range) {
        try place()
        if end == "begin" { node.start = offset } else { node.lastStart = offset }
        if end == "begin", node.kind.hasSuffix("Attr") { node.file = spelled }
      }
    case "inner" where depth < Self.maximumDepth:
      var array = try scanner.beginArray()
      while try scanner.element(&array) { node.inner.append(try self.node(depth: depth + 1)) }
    default: try scanner.skip()
    }
  }

  /// Reads an object and returns one of its members.
  private mutating func reference(_ name: String) throws(JSONError) -> String? {
    var value: String?
    var object = try scanner.beginObject()
    while let (key, _) = try scanner.member(&object) {
      if key == name { value = try scanner.repairedString() } else { try scanner.skip() }
    }
    return value
  }

  /// Reads a place. The place of a macro's argument is the one where the argument is written.
  private mutating func place() throws(JSONError) {
    var object = try scanner.beginObject()
    var isHere = false
    while let (key, _) = try scanner.member(&object) {
      switch key {
      case "file": file = try scanner.repairedString()
      case "offset": (offset, isHere) = (Int(try scanner.number()) ?? 0, true)
      case "spellingLoc": try place()
      case "expansionLoc":
        let written = (offset, spelled)
        try place()
        (offset, spelled) = written
      default: try scanner.skip()
      }
    }
    if isHere { spelled = file }
  }
}
