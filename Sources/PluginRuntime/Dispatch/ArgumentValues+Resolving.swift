import CPromise
import Promises

extension ArgumentValues {
  /// Assigns the arguments to parameters by name, position or default, and converts them to the parameters' types. The
  /// remaining arguments are assigned to the tail of a variadic function.
  static func resolve(_ arguments: [Argument], for function: BoundFunction) throws(PluginError) -> ArgumentValues {
    let count = function.inputTypes.count
    if arguments.count <= count, arguments.allSatisfy({ $0.name == nil }) {
      let resolved = ArgumentValues(capacity: count)
      for index in 0..<count {
        if index < arguments.count {
          try resolved.append(arguments[index].content, at: index, for: function)
        } else {
          try resolved.appendDefault(at: index, for: function)
        }
      }
      return resolved
    }
    let (places, rest) = try assign(arguments, to: function)
    let resolved = ArgumentValues(capacity: count + rest.count)
    for index in 0..<count {
      if let place = places[index] {
        try resolved.append(arguments[place].content, at: index, for: function)
      } else {
        try resolved.appendDefault(at: index, for: function)
      }
    }
    for (index, content) in rest.enumerated() {
      let name = "\(function.signature.tail?.parameter.name ?? "")[\(index)]"
      resolved.append(try value(ofTail: content, name, of: function))
    }
    return resolved
  }

  /// Appends the default of an input without an argument.
  private func appendDefault(at index: Int, for function: BoundFunction) throws(PluginError) {
    let fallback = function.plan.pointee.fallback(index)
    guard fallback.kind != 0 else { throw function.missing(function.signature.inputs[index]) }
    guard withUnsafePointer(to: fallback, { promise_value_retain($0) }) == PROMISE_OK else {
      throw function.error(.noMemory, nil, 0)
    }
    append(fallback)
  }

  /// Appends the value of an input's argument.
  private func append(
    _ content: Argument.Content, at index: Int, for function: BoundFunction
  ) throws(PluginError) {
    let (type, isPlain) = function.inputTypes[index]
    if isPlain, case .value(let given) = content, let converted = promise_value_t(given) { return append(converted) }
    append(
      try Self.value(
        of: content, for: type, function.inputPlans[index], function.signature.inputs[index].name, of: function))
  }

  /// Returns the place of the argument for each parameter, `nil` for a default, and the contents for the tail.
  private static func assign(
    _ arguments: [Argument], to function: BoundFunction
  ) throws(PluginError) -> ([Int?], [Argument.Content]) {
    let parameters = function.signature.inputs
    var places = [Int?](repeating: nil, count: parameters.count)
    var rest: [Argument.Content]?
    for (place, argument) in arguments.enumerated() {
      guard let name = argument.name else { continue }
      if function.signature.tail?.parameter.name == name {
        guard rest == nil else { throw function.error(.badArgument, "is given the argument '\(name)' twice") }
        rest = try elements(of: argument.content, name, function)
        continue
      }
      guard let index = parameters.firstIndex(where: { $0.name == name }) else {
        throw function.error(.badArgument, "has no parameter '\(name)': \(function.signature)")
      }
      guard places[index] == nil else { throw function.error(.badArgument, "is given the argument '\(name)' twice") }
      places[index] = place
    }
    var index = 0
    for (place, argument) in arguments.enumerated() where argument.name == nil {
      while index < places.count, places[index] != nil { index += 1 }
      if index < places.count {
        places[index] = place
        continue
      }
      guard function.signature.tail != nil, (rest?.count ?? 0) < SignatureLimits.tail else {
        throw function.tooMany(arguments.count, expected: parameters.count)
      }
      rest = (rest ?? []) + [argument.content]
    }
    return (places, rest ?? [])
  }

  /// Returns the arguments of a tail that is passed by name, as an array.
  private static func elements(
    of content: Argument.Content, _ name: String, _ function: BoundFunction
  ) throws(PluginError) -> [Argument.Content] {
    switch content {
    case .value(.array(let values)): return values.map { .value($0) }
    case .json(.array(let elements)): return elements.map { .json($0) }
    case .text(let text):
      if case .array(let elements)? = try? JSONText(parsing: Array(text.utf8)) { return elements.map { .json($0) } }
    default: break
    }
    throw function.error(.badArgument, "argument '\(name)' is not an array, expected an array of the tail's arguments")
  }

  /// Converts the content to the first type of the tail that accepts it.
  private static func value(
    ofTail content: Argument.Content, _ name: String, of function: BoundFunction
  ) throws(PluginError) -> promise_value_t {
    var failure: PluginError?
    for (type, plan) in function.tail {
      do throws(PluginError) {
        return try value(of: content, for: type, plan, name, of: function)
      } catch {
        failure = failure ?? error
      }
    }
    throw failure ?? function.error(.badArgument, "takes no '\(name)': \(function.signature)")
  }

  private static func value(
    of content: Argument.Content, for type: ValueType, _ plan: TypePlan?, _ name: String, of function: BoundFunction
  ) throws(PluginError) -> promise_value_t {
    do throws(ArgumentMismatch) {
      if case .promise(let element) = type.kind {
        if case .value(.void) = content, type.isOptional { return try abi(.void, type, nil) }
        return try promise(content, of: element, plan, type)
      }
      switch content {
      case .value(let given):
        guard case .constant(let constants) = type else { return try abi(given, type, plan) }
        return try abi(try constants.value(from: given), type, plan)
      case .text(let text): return try abi(try type.value(fromText: text), type, plan)
      case .json(let json): return try abi(try type.value(fromJSON: json), type, plan)
      case .contents(let bytes): return try abi(try type.value(fromContents: bytes), type, plan)
      case .shared(let memory, _) where type.content == .bytes:
        guard let value = memory.abi else { throw CallArena.noMemory }
        return value
      case .shared(let memory, isContents: true): return try abi(try type.value(fromContents: memory.bytes), type, plan)
      case .shared(let memory, isContents: false): return try abi(.bytes(memory.bytes), type, plan)
      case .promise: throw ArgumentMismatch(message: "is a promise, expected \(type.expectation)")
      case .callback(let callback):
        guard type.callbackType != nil else {
          throw ArgumentMismatch(message: "is a callback, expected \(type.expectation)")
        }
        guard let value = callback.wrapped else { throw CallArena.noMemory }
        return value
      }
    } catch {
      throw function.error(.badArgument, "argument '\(name)\(error.path)' \(error.message)")
    }
  }

  /// Converts a value to C.
  private static func abi(
    _ value: PluginValue, _ type: ValueType, _ plan: TypePlan?
  ) throws(ArgumentMismatch) -> promise_value_t {
    if let plan { return try plan.abi(value) }
    switch (type.content, value) {
    case (.pointer, .pointer(let pointer)), (.callback, .pointer(let pointer)), (.token, .pointer(let pointer)):
      guard type.takes(addressOf: pointer.name) else {
        throw ArgumentMismatch(message: "is \(value.name), expected \(type.expectation)")
      }
    default: break
    }
    guard let converted = promise_value_t(value) else { throw CallArena.noMemory }
    return converted
  }

  /// Makes a promise that follows the given one, or that is fulfilled with the given value.
  private static func promise(
    _ content: Argument.Content, of element: ValueType?, _ plan: TypePlan?, _ type: ValueType
  ) throws(ArgumentMismatch) -> promise_value_t {
    let promise: Promise<PluginValue>
    switch content {
    case .promise(let given): promise = given
    default:
      let value: PluginValue =
        switch content {
        case .value(let given): given
        case .text(let text): try type.value(fromText: text)
        case .json(let json): try type.value(fromJSON: json)
        case .contents(let bytes): try type.value(fromContents: bytes)
        case .shared(let memory, isContents: true): try type.value(fromContents: memory.bytes)
        case .shared(let memory, isContents: false): .bytes(memory.bytes)
        case .promise: .void
        case .callback: throw ArgumentMismatch(message: "is a callback, expected \(type.expectation)")
        }
      guard let suitable = PluginValue.suiting(element, value) else {
        throw ArgumentMismatch(message: "is \(value.name), expected a value for a \(type)")
      }
      promise = .resolve(suitable)
    }
    guard let handle = PromiseBridge.abi(promise, of: element, plan) else { throw CallArena.noMemory }
    return promise_value_t(promise: handle)
  }
}
