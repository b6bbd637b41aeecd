import CPluginEdge
import Glibc

/// Objects for the arguments of checked calls: other functions of the draft make them, from random arguments and from
/// objects that others make.
struct CheckedObjects {
  /// The maximum number of calls of a function that makes objects, until one succeeds.
  private static let attempts = 64
  /// The number of these calls that get the same objects. A failure may be due to one of these objects: a database that
  /// was not opened.
  private static let renewal = 16
  /// The maximum number of functions that make objects for one another: a statement of a database of a library.
  private static let depth = 5
  /// The maximum number of functions to choose the maker of an object of unknown type from.
  private static let mostLike = 8

  let targets: [CheckedCall.Target]
  /// The function that takes the objects.
  let taker: String
  /// Whether any function that makes an object may be the first that is called, and an object of any type is one of
  /// void. For a single call of a function that crashed, perhaps because of its objects.
  var isWide = false

  /// Returns an object; `nil` if nothing makes one. The arguments stay unchanged: the object may keep them.
  func make(_ name: String, _ values: inout Dice, for others: [String] = []) -> UInt? {
    guard others.count < Self.depth, !others.contains(name) else { return nil }
    defer { plugin_check_prepare(nil) }
    let makers = isWide && name == "void" ? makersLikeTaker() : makers(of: name)
    let first = isWide && values.roll(2) == 0 ? values.roll(makers.count) : 0
    for place in makers.indices {
      let target = makers[(place + first) % makers.count]
      guard var call = try? CheckedCall(target) else { continue }
      for attempt in 0..<Self.attempts {
        if attempt % Self.renewal == 0 { call.objects = [:] }
        plugin_check_prepare(target.subject)
        do throws(Unmade) {
          let objects = try call.call(&values, CheckedMemory(isAligned: true)).objects
          let other = isWide && name == "void" ? objects.min { $0.key < $1.key }?.value : nil
          if let object = objects[name] ?? other { return object }
        } catch {
          guard let needed = error.needs, call.objects[needed] == nil,
            let object = make(needed, &values, for: others + [name])
          else { break }
          call.objects[needed] = object
        }
      }
    }
    return Self.ofSystem(name) ?? structure(name, &values)
  }

  /// Returns the functions that may make an object, those that need the fewest objects and arguments first.
  private func makers(of name: String) -> [CheckedCall.Target] {
    let makers = targets.filter { $0.signature.gives(name) }.map { target in
      let inputs = target.signature.inputs
      return (target, needs: inputs.count { $0.type.objectName != nil && !$0.type.isOptional }, inputs.count)
    }
    return makers.sorted { ($0.needs, $0.2) < ($1.needs, $1.2) }.map(\.0)
  }

  /// Returns the functions with names most like that of the function which takes the object: `date_time_new` for
  /// `date_time_hash`.
  private func makersLikeTaker() -> [CheckedCall.Target] {
    let makers = targets.filter { $0.signature.name != taker && $0.signature.givesObject }.map { target in
      let alike = zip(target.signature.name.utf8, taker.utf8).prefix { $0 == $1 }.map(\.0).count
      return (target, alike, target.signature.inputs.count)
    }
    return makers.sorted { ($1.1, $0.2) < ($0.1, $1.2) }.prefix(Self.mostLike).map(\.0)
  }

  /// Returns a struct that callers make, by the fields that the draft has for it: zeros, or random numbers and NULLs.
  /// The library may keep its address.
  private func structure(_ name: String, _ values: inout Dice) -> UInt? {
    for parameters in targets.map(\.signature.parameters) {
      guard parameters.count == 3, parameters[0].name == "fields", parameters[1].name == "struct",
        case .pointer(name) = parameters[1].type, let size = parameters[2].constantBits,
        let memory = calloc(1, Int(size))
      else { continue }
      if values.roll(2) == 0, let bytes = values.bytes(of: parameters[0].type) {
        bytes.withUnsafeBytes { memory.write(UnsafeRawBufferPointer(rebasing: $0.prefix(Int(size)))) }
      }
      return UInt(bitPattern: memory)
    }
    return nil
  }

  /// Returns an object of the C library, which makes it without a system call; `nil` for a type of another library.
  private static func ofSystem(_ name: String) -> UInt? {
    name == "FILE" ? fmemopen(nil, 4096, "w+").map { UInt(bitPattern: $0) } : nil
  }
}

extension Signature {
  /// Whether the function may return an object of the type `name`.
  fileprivate func gives(_ name: String) -> Bool {
    // Memory to be freed is that of an allocator, and no address in an object.
    if name == "void", !self.name.lowercased().contains("alloc") { return false }
    return objectNames.contains(name)
  }

  /// Whether the function may return an object of any type.
  fileprivate var givesObject: Bool { !objectNames.isEmpty }

  /// The types of the objects that the function may return.
  private var objectNames: [String] {
    ([returned].compactMap(\.self) + outputs.map(\.type)).compactMap(\.objectName)
  }
}
