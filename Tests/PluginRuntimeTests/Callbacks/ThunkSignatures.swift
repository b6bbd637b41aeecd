@preconcurrency import CFFI
import CPluginEdge
import Glibc
import Testing

@testable import PluginRuntime

@Suite("Thunks: signatures")
struct ThunkSignatures {
  static let kinds = [PLUGIN_THUNK_SCALARS, PLUGIN_THUNK_ANY, PLUGIN_THUNK_CLOSURE].map { Int32($0) }

  @Test("scalars of every width arrive, in registers and on the stack", arguments: kinds)
  func scalars(_ kind: Int32) {
    typealias I = ThunkInterface
    // Nine integers and ten floats: more than there are registers for either.
    let types = [
      I.int8, I.double, I.uint16, I.float, I.int32, I.double, I.int64, I.pointer, I.double, I.int8, I.float, I.double,
      I.int32, I.double, I.double, I.double, I.float, I.int64, I.double, I.int8,
    ]
    var dice = Dice(seed: 1)
    #expect(Trip(types, I.double, kind, &dice).run() == kind)
  }

  @Test(
    "300 random signatures, with structs by value where possible: every byte arrives, both ways", arguments: kinds)
  func random(_ kind: Int32) {
    typealias I = ThunkInterface
    var dice = Dice(seed: UInt64(kind))
    let integers = [I.int8, I.uint16, I.int32, I.int64, I.pointer]
    let floats = [I.float, I.double]
    func type() -> I.Element {
      func scalar() -> I.Element { dice.pick(dice.chance(50) ? integers : floats) }
      guard kind != Int32(PLUGIN_THUNK_SCALARS), dice.chance(33) else { return scalar() }
      return I.structure((0...dice.roll(5)).map { _ in scalar() })
    }
    for number in 0..<300 {
      let types = (0..<dice.roll(24)).map { _ in type() }
      let result = type()
      let trip = Trip(types, result, kind, &dice)
      // libffi makes the call here, and passes these wrongly.
      if FFIType.halved(types, returning: result) != nil { continue }
      #expect(trip.run() == kind, "signature \(number)")
    }
  }

  @Test("without a given kind, thunks of scalars alone read them from registers, and libffi makes the others")
  func chosenKinds() {
    typealias I = ThunkInterface
    let scalars = ThunkPool(ThunkInterface([I.int32, I.double], I.int64)).take { _, _ in }
    #expect(scalars.kind == Int32(PLUGIN_THUNK_SCALARS))
    let structure = ThunkPool(ThunkInterface([I.structure([I.int8])], I.void)).take { _, _ in }
    #expect(structure.kind == Int32(PLUGIN_THUNK_ANY))
  }

  @Test("a result of every kind is returned, and none for void", arguments: kinds)
  func results(_ kind: Int32) {
    typealias I = ThunkInterface
    func result(_ type: I.Element, _ bits: UInt64) -> UInt64 {
      ThunkPool(ThunkInterface([], type), kind: kind).take { $1.storeBytes(of: bits, as: UInt64.self) }.call()
    }
    let minus3 = UInt64(bitPattern: -3)
    #expect(Int8(truncatingIfNeeded: result(I.int8, minus3)) == -3)
    #expect(UInt16(truncatingIfNeeded: result(I.uint16, 65533)) == 65533)
    #expect(Int32(truncatingIfNeeded: result(I.int32, minus3)) == -3)
    #expect(result(I.int64, minus3) == minus3)
    #expect(result(I.pointer, 0x7000_1234_5678) == 0x7000_1234_5678)
    #expect(Float(bitPattern: UInt32(truncatingIfNeeded: result(I.float, UInt64(Float(0.1).bitPattern)))) == 0.1)
    #expect(Double(bitPattern: result(I.double, 0.1.bitPattern)) == 0.1)
    let none = ThunkPool(ThunkInterface([], I.void), kind: kind).take { _, _ in }
    #expect(none.call() == 0)
  }

  @Test("structs by value, small and large, arrive and come back", arguments: [0, Int32(PLUGIN_THUNK_CLOSURE)])
  func structures(_ kind: Int32) {
    typealias I = ThunkInterface
    let small = I.structure([I.float, I.int32])
    let large = I.structure([I.double, I.double, I.double])
    let pool = ThunkPool(ThunkInterface([small, I.int8, large], large), kind: kind)
    let thunk = pool.take { arguments, result in
      let scale =
        Double(arguments![0]!.load(as: Float.self)) + Double(arguments![0]!.load(fromByteOffset: 4, as: Int32.self))
      for field in 0..<3 {
        let number = arguments![2]!.load(fromByteOffset: field * 8, as: Double.self)
        let shift = Double(arguments![1]!.load(as: Int8.self))
        result.storeBytes(of: number * scale + shift, toByteOffset: field * 8, as: Double.self)
      }
    }
    var first: (Float, Int32) = (0.5, 2)
    var second: Int8 = -1
    var third = (1.0, 2.0, 3.0)
    var result = (0.0, 0.0, 0.0)
    withUnsafeMutablePointer(to: &first) { first in
      withUnsafeMutablePointer(to: &second) { second in
        withUnsafeMutablePointer(to: &third) { third in
          var addresses: [UnsafeMutableRawPointer?] = [.init(first), .init(second), .init(third)]
          ffi_call(pool.interface.cif, plugin_thunk_function(thunk.reference.thunk!), &result, &addresses)
        }
      }
    }
    #expect(thunk.kind == (kind == 0 ? Int32(PLUGIN_THUNK_ANY) : kind))
    #expect(result == (1.5, 4, 6.5))
    thunk.end()
  }

  @Test("no page of ours is writable and executable, and the table beside the code cannot be written to")
  func pages() throws {
    let plain = ThunkPool(ThunkInterface([ThunkInterface.pointer], ThunkInterface.void)).take { _, _ in }
    let pair = ThunkInterface.structure([ThunkInterface.double, ThunkInterface.double])
    let any = ThunkPool(ThunkInterface([pair], ThunkInterface.void)).take { _, _ in }
    for thunk in [plain, any] {
      let file = try #require(fopen("/proc/self/maps", "r"))
      defer { fclose(file) }
      var permissions: [String] = []
      var line = [CChar](repeating: 0, count: 1024)
      while fgets(&line, Int32(line.count), file) != nil {
        let text = String(decoding: line.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
        let fields = text.split(separator: " ")
        let bounds = fields[0].split(separator: "-").compactMap { UInt($0, radix: 16) }
        // The mapping with the code, and the one behind it.
        if bounds[0] <= thunk.address && thunk.address < bounds[1] || permissions.count == 1 {
          permissions.append(String(fields[1]))
        }
      }
      #expect(permissions == ["r-xp", "r--p"])
    }
    plain.end()
    any.end()
  }
}

/// One call of a thunk through libffi's own code, with random bytes as arguments and as the result.
private struct Trip {
  private let types: [ThunkInterface.Element]
  private let result: [UInt8]
  private let given: [[UInt8]]
  private let pool: ThunkPool

  init(_ types: [ThunkInterface.Element], _ result: ThunkInterface.Element, _ kind: Int32, _ dice: inout Dice) {
    self.types = types
    // Making the interface sets the sizes of structs, which are read below.
    pool = ThunkPool(ThunkInterface(types, result), kind: kind)
    given = types.map { type in (0..<type.pointee.size).map { _ in UInt8(dice.roll(256)) } }
    self.result = (0..<result.pointee.size).map { _ in UInt8(dice.roll(256)) }
  }

  /// Makes the call. Returns the kind of the thunk if everything but padding arrived; 0 otherwise.
  func run() -> Int32 {
    let seen = Seen()
    let (sizes, result) = (types.map { Int($0.pointee.size) }, result)
    let thunk = pool.take { arguments, memory in
      for (index, size) in sizes.enumerated() {
        let address = arguments![index]!
        seen.append((0..<size).map { address.load(fromByteOffset: $0, as: UInt8.self) })
      }
      for (index, byte) in result.enumerated() { memory.storeBytes(of: byte, toByteOffset: index, as: UInt8.self) }
    }
    let memory = given.map { bytes in
      let memory = UnsafeMutableRawPointer.allocate(byteCount: max(bytes.count, 8), alignment: 16)
      for (index, byte) in bytes.enumerated() { memory.storeBytes(of: byte, toByteOffset: index, as: UInt8.self) }
      return memory
    }
    let returned = UnsafeMutableRawPointer.allocate(byteCount: max(result.count, 16), alignment: 16)
    defer {
      for memory in memory + [returned] { memory.deallocate() }
      thunk.end()
    }
    var addresses = memory.map { Optional($0) }
    ffi_call(pool.interface.cif, plugin_thunk_function(thunk.reference.thunk!), returned, &addresses)
    let back = (0..<result.count).map { returned.load(fromByteOffset: $0, as: UInt8.self) }
    let isWhole = zip(types, zip(given, seen.all)).allSatisfy { Self.agree($0, $1.0, $1.1) }
    let type = pool.interface.cif.pointee.rtype!
    return isWhole && seen.all.count == given.count && Self.agree(type, result, back) ? thunk.kind : 0
  }

  /// Whether two values are equal, except for the padding of a struct.
  private static func agree(_ type: ThunkInterface.Element, _ left: [UInt8], _ right: [UInt8]) -> Bool {
    guard Int32(type.pointee.type) == FFI_TYPE_STRUCT else { return left == right }
    var fields: [ThunkInterface.Element] = []
    while let field = type.pointee.elements[fields.count] { fields.append(field) }
    var offsets = [Int](repeating: 0, count: fields.count)
    ffi_get_struct_offsets(FFI_DEFAULT_ABI, type, &offsets)
    return zip(fields, offsets).allSatisfy { field, offset in
      let range = offset..<offset + Int(field.pointee.size)
      return left[range] == right[range]
    }
  }
}

/// The arguments that bodies have seen.
private final class Seen: @unchecked Sendable {
  private(set) var all: [[UInt8]] = []

  func append(_ bytes: [UInt8]) { all.append(bytes) }
}
