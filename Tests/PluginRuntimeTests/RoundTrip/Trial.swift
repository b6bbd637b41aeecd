@testable import PluginRuntime

/// A random function: its signature, its arguments, its result, and the C that checks the arguments and makes the
/// result.
struct Trial: Sendable {
  let text: String
  let arguments: [PluginValue]
  /// The call's result; `nil` if it fails with the status -5.
  let expected: PluginValue?
  /// Whether the arguments can be written in JSON: JSON has no addresses and only one NaN, and infinity is a string,
  /// which a tail would take for one.
  let isSayableInJSON: Bool
  let source: String

  init(name: String, dice: inout Dice) throws {
    var maker = TrialMaker(dice: dice)
    maker.make()
    dice = maker.dice
    text = maker.text(name)
    let signature = try Signature(parsing: text)
    arguments = signature.inputs.compactMap { maker.arguments[$0.name] } + maker.tail.map(\.value)
    expected = maker.status < 0 ? nil : maker.expected(signature)
    isSayableInJSON = !arguments.contains { $0.hasNaN || $0.hasPointer } && !maker.tail.contains { $0.value.isInfinite }
    source = maker.source(signature)
  }
}

/// Makes a random function, one parameter at a time.
struct TrialMaker {
  var dice: Dice
  private var parameters: [String] = []
  /// The results and arguments of calls, by parameter.
  private(set) var arguments: [String: PluginValue] = [:]
  private var outputs: [String: PluginValue] = [:]
  private(set) var tail: [(type: ValueType, value: PluginValue)] = []
  private var tailTypes: [ValueType] = []
  private var result: (type: ValueType, value: PluginValue)?
  /// The number of objects in out parameters.
  private var objects = 0
  private var fails = false
  private(set) var status = 0
  private var body = CBody()

  private static let owned: [ValueType] = [
    .own(.str), .own(.bytes), .own(.cstr), .own(.cstr, release: "release"), .optional(.own(.str)),
    .own(.pointer("T0"), release: "destroy"), .optional(.own(.pointer("T1"), release: "destroy")),
  ]

  init(dice: Dice) { self.dice = dice }

  mutating func make() {
    if dice.chance(15) { addCrowd() }
    let count = dice.chance(10) ? 12 + dice.roll(12) : dice.roll(8)
    while parameters.count < count { addParameter("p\(parameters.count)") }
    if !parameters.isEmpty, dice.chance(12) { addTail() }
    if dice.chance(80) {
      let type =
        dice.chance(12)
        ? dice.pick(Self.owned)
        : dice.chance(12) ? .reference(dice.structure(depth: 1, unions: true)) : dice.data()
      result = (type, dice.value(type))
    }
    fails = dice.chance(25)
    if fails, dice.chance(20) { status = -5 }
  }

  /// Adds integers and floats that take most registers, in any order, then a struct with a word of each: its place
  /// depends on how many registers are left of both kinds.
  private mutating func addCrowd() {
    let integers = Dice.scalars.filter(\.isInteger)
    var types = (0..<4 + dice.roll(3)).map { _ in dice.pick(integers) }
    types += (0..<dice.roll(9)).map { _ in dice.pick([.f32, .f64]) }
    types.shuffle(using: &dice)
    let fields: [ValueType] = dice.pick([
      [.i8, .f64], [.i64, .f32], [.i32, .f32, .f32, .f32], [.f64, .u16], [.f32, .u64],
    ])
    let names = (0..<fields.count).map { "f\($0)" }
    types.append(.structure(StructType(fields: zip(names, fields).map { .init(name: $0, type: $1) })))
    for type in types { addInput("p\(parameters.count)", type) }
  }

  private mutating func addInput(_ name: String, _ type: ValueType) {
    give(name, type)
    body.check(name, type, arguments[name] ?? .void)
    parameters.append("\(name): \(type)")
  }

  private mutating func addParameter(_ name: String) {
    let next = "p\(parameters.count + 1)"
    switch dice.roll(100) {
    case ..<58: addInput(name, dice.data())
    case ..<64: addInput(name, .reference(dice.structure(depth: 1, unions: true)))
    case ..<72:
      let type = dice.chance(10) ? dice.pick([.own(.str), Self.owned[5]]) : dice.data(unions: true)
      get(name, type)
      body.fill("(*\(name))", type, outputs[name] ?? .void)
      parameters.append("\(name): out \(type)")
    case ..<80:
      let type = dice.data(unions: true)
      give(name, type)
      get(name, type)
      body.check("(*\(name))", type, arguments[name] ?? .void)
      body.fill("(*\(name))", type, outputs[name] ?? .void)
      parameters.append("\(name): inout \(type)")
    case ..<84:
      let element = dice.pick(Dice.scalars + [.cstr, .structure(StructType(fields: [.init(name: "x", type: .f32)]))])
      addInput(name, .array(element, count: 1 + dice.roll(4)))
    case ..<88: addInput(name, dice.pick([.own(.str), .own(.bytes), .own(.cstr)]))
    case ..<93: addCounted(name, next)
    default: addRoom(name, next)
    }
  }

  private mutating func give(_ name: String, _ type: ValueType) { arguments[name] = dice.value(type) }
  private mutating func get(_ name: String, _ type: ValueType) {
    outputs[name] = dice.value(type)
    if type == Self.owned[5] { objects += 1 }
  }

  /// Adds elements and, as a parameter of its own, their number.
  private mutating func addCounted(_ name: String, _ count: String) {
    let element = dice.pick(Dice.scalars + [.cstr])
    let values = (0..<dice.roll(5)).map { _ in dice.value(element) }
    let type = dice.pick(Dice.scalars.filter(\.isInteger))
    arguments[name] = .array(values)
    body.line("CHECK(\(count) == \(values.count));")
    body.check(name, element, values)
    let isInOut = dice.chance(40)
    if isInOut {
      let changed = values.map { _ in dice.value(element) }
      outputs[name] = .array(changed)
      body.fill(name, element, changed)
    }
    parameters += ["\(name): \(isInOut ? "inout " : "")&[\(element); \(count)]", "\(count): \(type)"]
  }

  /// Adds memory for elements, and the number that the function wrote.
  private mutating func addRoom(_ name: String, _ count: String) {
    let room = dice.roll(6)
    let used = dice.roll(room + 1)
    let bytes = (0..<used).map { _ in UInt8(truncatingIfNeeded: dice.next()) }
    let type = dice.pick(Dice.scalars.filter(\.isInteger))
    arguments[count] = type.signedRange != nil ? .int(Int64(room)) : .uint(UInt64(room))
    outputs[name] = .bytes(bytes)
    outputs[count] = type.signedRange != nil ? .int(Int64(used)) : .uint(UInt64(used))
    body.line("CHECK(*\(count) == \(room));")
    for (index, byte) in bytes.enumerated() { body.line("\(name)[\(index)] = \(byte);") }
    body.line("*\(count) = \(used);")
    parameters += ["\(name): out bytes[\(count)]", "\(count): inout \(type)"]
  }

  private mutating func addTail() {
    // An integer would be taken by an f64 that stands before its own type.
    let numbers: [ValueType] = [dice.pick([.i32, .i64, .u32, .u64]), .f64]
    tailTypes = dice.chance(50) ? [.cstr] + numbers : numbers + [.cstr]
    for _ in 0..<dice.roll(12) {
      let type = dice.pick(tailTypes)
      tail.append((type, dice.value(type)))
    }
  }

  func text(_ name: String) -> String {
    var list = parameters
    if !tailTypes.isEmpty { list.append("...: " + tailTypes.map(\.description).joined(separator: " | ")) }
    return "\(name)(\(list.joined(separator: ", ")))\(result.map { " -> \($0.type)" } ?? "")\(fails ? " !" : "")"
  }

  func expected(_ signature: Signature) -> PluginValue {
    guard !signature.outputs.isEmpty else { return result?.value ?? .void }
    let members = signature.outputs.map { PluginMember($0.name, outputs[$0.name] ?? .void) }
    return .object((result.map { [PluginMember("result", $0.value)] } ?? []) + members)
  }

  func source(_ signature: Signature) -> String {
    var body = body
    if !tailTypes.isEmpty {
      body.line("va_list list;")
      body.line("va_start(list, \(fails ? "error" : signature.parameters.last?.name ?? ""));")
      for (type, value) in tail {
        body.line("{ \(Self.name(type)) item = va_arg(list, \(Self.name(type)));")
        body.check("item", type, value)
        body.line("}")
      }
      body.line("va_end(list);")
    }
    let call = "\(signature.name)(\(signature.parameters.map(\.name).joined(separator: ", ")))"
    if status < 0 {
      // A function that fails has made no object.
      if objects > 0 { body.line("made -= \(objects);") }
      body.line("return \(status);")
    } else if let result {
      if !fails { body.line("__typeof__(\(call)) made;") }
      body.fill(fails ? "(*result)" : "made", result.type, result.value)
      body.line(fails ? "return 0;" : "return made;")
    } else if fails {
      body.line("return 0;")
    }
    return
      "\(signature.cPrototype)\n\(signature.cPrototype.split(separator: "\n").last.map { $0.dropLast() } ?? "") {\n"
      + body.lines.joined(separator: "\n") + "\n}\n"
  }

  /// Returns the C name of a type of the tail.
  private static func name(_ type: ValueType) -> String { type.scalar?.cName ?? "const char *" }
}
