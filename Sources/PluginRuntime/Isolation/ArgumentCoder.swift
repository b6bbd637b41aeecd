import Promises

/// Converts the arguments of a call to values for a frame and back: for each the name or void, the form, the content.
enum ArgumentCoder {
  /// An argument on its way into a worker.
  enum Form: UInt64 {
    case value, text, json, contents
    /// The content is the number of a promise, which `settle` frames settle.
    case promise
    /// The content is the number of a callback, which the worker calls by `callback` frames.
    case callback
    /// The content is the index of a block of shared memory: bytes, or the content of a file.
    case shared, sharedContents
    /// The result of an earlier call in the worker. The content is the request of that call, and the number of a
    /// promise in case that the call has ended.
    case result
    /// A promise that is fulfilled. The content is its value.
    case fulfilled
  }

  /// A promise among the arguments.
  enum GivenPromise {
    /// Settled by a frame.
    case number(UInt64)
    /// The result of a request, or the promise of the number if the worker no longer has the result.
    case result(request: UInt64, number: UInt64)
    case fulfilled(PluginValue)
  }

  /// Appends arguments. The closures number promises and callbacks. Large bytes are shared, in blocks of `pool` if the
  /// call belongs to a pool.
  ///
  /// - Throws: `CBORError` if a value is nested too deeply.
  static func encode(
    _ arguments: [Argument], into encoder: inout CBOREncoder, pool: PoolMemory? = nil,
    promise: (Promise<PluginValue>) -> GivenPromise, callback: (PluginCallback) -> UInt64
  ) throws(CBORError) {
    for argument in arguments {
      try encoder.append(argument.name.map { .string($0) } ?? .void)
      let encoded: (form: Form, content: PluginValue)? =
        switch argument.content {
        case .shared(let bytes, let isContents):
          share(bytes, isContents ? .sharedContents : .shared, &encoder)
            ?? (isContents ? .contents : .value, .bytes(bytes.bytes))
        case .value(.bytes(let bytes)): share(bytes, .shared, pool, &encoder) ?? (.value, .bytes(bytes))
        case .contents(let bytes): share(bytes, .sharedContents, pool, &encoder) ?? (.contents, .bytes(bytes))
        case .value(let value): (.value, value)
        case .text(let text): (.text, .string(text))
        case .json(let json): (.json, encode(json))
        case .promise(let given): append(promise(given), &encoder)
        case .callback(let given): (.callback, .uint(callback(given)))
        }
      guard let encoded else { continue }
      encoder.append(encoded.form.rawValue)
      // The arguments are elements of an array.
      try encoder.append(encoded.content, depth: 1)
    }
  }

  /// Appends the result of a call, without a value for its numbers: each call of a chain has one. Returns the value of
  /// another promise.
  private static func append(_ promise: GivenPromise, _ encoder: inout CBOREncoder) -> (Form, PluginValue)? {
    switch promise {
    case .number(let number): return (.promise, .uint(number))
    case .fulfilled(let value): return (.fulfilled, value)
    case .result(let request, let number):
      encoder.append(Form.result.rawValue)
      encoder.array(of: 2)
      encoder.append(request)
      encoder.append(number)
      return nil
    }
  }

  private static func share(
    _ bytes: [UInt8], _ form: Form, _ pool: PoolMemory?, _ encoder: inout CBOREncoder
  ) -> (Form, PluginValue)? {
    let block = if let pool { pool.block(of: bytes) } else { SharedBytes(sending: bytes) }
    return block.flatMap { share($0, form, &encoder) }
  }

  /// Refers to shared memory; `nil` if it was received from another process, or if the frame has too many blocks or
  /// bytes.
  private static func share(
    _ block: SharedBytes, _ form: Form, _ encoder: inout CBOREncoder
  ) -> (Form, PluginValue)? {
    guard block.descriptor >= 0, let index = encoder.share(block) else { return nil }
    return (form, .uint(UInt64(index)))
  }

  /// Decodes arguments of so many values. Promises and callbacks are made by the closures from their numbers.
  ///
  /// - Throws: `FrameError` if they are malformed.
  static func decode(
    _ decoder: inout CBORDecoder, _ count: Int, memory: [SharedBytes],
    promise: (GivenPromise) -> Promise<PluginValue>, callback: (UInt64) -> PluginCallback
  ) throws -> [Argument] {
    guard count.isMultiple(of: 3) else { throw malformed }
    var arguments: [Argument] = []
    // Not all is reserved in advance: an argument takes many times the memory of its encoding.
    arguments.reserveCapacity(min(count / 3, 16))
    for _ in 0..<count / 3 {
      let name: String? = if case .string(let name) = try decoder.element() { name } else { nil }
      guard let form = try decoder.unsigned().flatMap(Form.init) else { throw malformed }
      if form == .result {
        guard try decoder.arrayCount() == 2, let request = try decoder.unsigned(), let number = try decoder.unsigned()
        else { throw malformed }
        arguments.append(Argument(name: name, .promise(promise(.result(request: request, number: number)))))
        continue
      }
      let content: Argument.Content
      switch (form, try decoder.element()) {
      case (.value, let value): content = .value(value)
      case (.text, .string(let text)): content = .text(text)
      case (.json, let json): content = .json(try decode(json))
      case (.contents, .bytes(let bytes)): content = .contents(bytes)
      case (.promise, .uint(let number)): content = .promise(promise(.number(number)))
      case (.fulfilled, let value): content = .promise(promise(.fulfilled(value)))
      case (.callback, .uint(let number)): content = .callback(callback(number))
      case (.shared, .uint(let index)) where index < UInt64(memory.count): content = .shared(memory[Int(index)])
      case (.sharedContents, .uint(let index)) where index < UInt64(memory.count):
        content = .shared(memory[Int(index)], isContents: true)
      default: throw malformed
      }
      arguments.append(Argument(name: name, content))
    }
    return arguments
  }

  private static var malformed: FrameError { FrameError(description: "arguments of an unknown form") }

  /// Returns JSON as a value, with the digits of a number as bytes.
  private static func encode(_ json: JSONText) -> PluginValue {
    switch json {
    case .null: .void
    case .bool(let value): .bool(value)
    case .number(let digits): .bytes(Array(digits.utf8))
    case .string(let text): .string(text)
    case .array(let elements): .array(elements.map(encode))
    case .object(let members): .object(members.map { PluginMember($0.name, encode($0.value)) })
    }
  }

  private static func decode(_ value: PluginValue) throws(FrameError) -> JSONText {
    switch value {
    case .void: return .null
    case .bool(let value): return .bool(value)
    case .bytes(let digits): return .number(String(decoding: digits, as: UTF8.self))
    case .string(let text): return .string(text)
    case .array(let elements):
      var decoded: [JSONText] = []
      for element in elements { decoded.append(try decode(element)) }
      return .array(decoded)
    case .object(let members):
      var decoded: [(name: String, value: JSONText)] = []
      for member in members { decoded.append((member.name, try decode(member.value))) }
      return .object(decoded)
    case .int, .uint, .double, .pointer, .file: throw malformed
    }
  }
}
