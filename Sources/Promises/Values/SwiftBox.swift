import CPlatform

/// A Swift value without a kind in the engine: an OBJECT of type "swift.value", or of "swift.error", a subtype of
/// "error", if it is an `Error`.
@usableFromInline
class AnySwiftBox {
  @usableFromInline init() {}
  /// The value, with its type erased.
  @usableFromInline var any: Any { fatalError("a box without a value") }
}

@usableFromInline
final class SwiftBox<T>: AnySwiftBox {
  @usableFromInline let value: T
  @inlinable init(_ value: T) { self.value = value }
  @usableFromInline override var any: Any { value }
}

/// A box of an error, so that reading it as `any Error` needs no cast.
@usableFromInline
final class ErrorBox: AnySwiftBox {
  @usableFromInline let error: any Error
  init(_ error: any Error) { self.error = error }
  @usableFromInline override var any: Any { error }
}

extension CellValue {
  /// Wraps a box in an OBJECT.
  @usableFromInline static func object(_ box: AnySwiftBox, isError: Bool = false) -> CellValue {
    let payload = unsafe Unmanaged.passRetained(box).toOpaque()
    guard let value = unsafe Box.object(type: isError ? SwiftTypes.error : SwiftTypes.value, payload) else {
      fatalError("no memory for a value")
    }
    return value
  }

  /// Registers the types of the boxes, unless that was done. The first encoding would, under PLATFORM_LOCK_TYPES.
  static func registerSwiftTypes() { _ = SwiftTypes.value }

  /// The box, if Swift made the value.
  @usableFromInline var swiftBox: AnySwiftBox? {
    guard kind == ValueKind.object.rawValue, let pointer = unsafe pointer else { return nil }
    let type = TypeRegistry.type(of: self)
    guard type == SwiftTypes.value || type == SwiftTypes.error else { return nil }
    return unsafe Unmanaged<AnySwiftBox>.fromOpaque(pointer).takeUnretainedValue()
  }
}

/// The registered types of the boxes.
private enum SwiftTypes {
  static let value = register("swift.value", parent: 0)
  static let error = register("swift.error", parent: TypeRegistry.builtIn(.error))

  private static func register(_ name: String, parent: UInt32) -> UInt32 {
    let type = unsafe TypeRegistry.register(name, parent: parent) {
      unsafe Unmanaged<AnySwiftBox>.fromOpaque($0!).release()
    }
    guard case .success(let index) = type else {
      fatalError("the type \(name) is already registered with another parent")
    }
    return index
  }
}
