@preconcurrency import CFFI
import CPluginEdge
import Glibc
import Testing

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
    let pool = ThunkPool(ThunkInterface(types, I.double), kind: kind)
    let sizes = types.map { Int($0.pointee.size) }
    let seen = Bits()
    let thunk = pool.take { arguments, result in
      for (index, size) in sizes.enumerated() {
        let address = arguments![index]!
        seen.append((0..<size).map { address.load(fromByteOffset: $0, as: UInt8.self) })
      }
      result.storeBytes(of: -2.5, as: Double.self)
    }
    let given: [UInt64] = types.enumerated().map { index, type in
      switch Int32(type.pointee.type) {
      case FFI_TYPE_DOUBLE: (Double(index) * 1.25 - 7).bitPattern
      case FFI_TYPE_FLOAT: UInt64((Float(index) / 3).bitPattern)
      default: UInt64(bitPattern: Int64(-1 - index) &* 0x0101_0305)
      }
    }
    var memory = given
    var result = 0.0
    memory.withUnsafeMutableBufferPointer { memory in
      let addresses = UnsafeMutablePointer<UnsafeMutableRawPointer?>.allocate(capacity: types.count)
      defer { addresses.deallocate() }
      for index in types.indices { addresses[index] = UnsafeMutableRawPointer(memory.baseAddress! + index) }
      ffi_call(pool.interface.cif, plugin_thunk_function(thunk.reference.thunk!), &result, addresses)
    }
    #expect(thunk.kind == kind)
    #expect(result == -2.5)
    for (index, size) in sizes.enumerated() {
      let expected = (0..<size).map { UInt8(truncatingIfNeeded: given[index] >> (8 * UInt64($0))) }
      #expect(seen[index] == expected, "argument \(index)")
    }
  }

  @Test("a result of every kind comes back; nothing where there is none", arguments: kinds)
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

/// What bodies have seen.
private final class Bits: @unchecked Sendable {
  private var seen: [[UInt8]] = []

  func append(_ bytes: [UInt8]) { seen.append(bytes) }
  subscript(index: Int) -> [UInt8] { seen[index] }
}
