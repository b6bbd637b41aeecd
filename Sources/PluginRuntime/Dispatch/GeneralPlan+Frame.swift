@preconcurrency import CFFI
import CPromise

extension GeneralPlan {
  /// A parameter of the C function.
  struct Slot: Sendable {
    let parameter: Parameter
    /// The index of its argument in a call; `nil` if it takes none.
    let argument: Int?
    /// The plan to store its value; for a counted type, the plan to store a span of the elements.
    let plan: TypePlan
    /// The fast path for values whose bits are stored unchanged; all others are stored by `plan`. Never freed.
    nonisolated(unsafe) let plain: UnsafePointer<CallPlan.Parameter>?
    /// The role of a callback or a context.
    let role: CallbackPlan.Role?
    /// Whether it is the address of elements; the index in `slots` of their count, `nil` if the call has no count; the
    /// count that the type itself states; and the size of an element in bytes.
    let areElements: Bool
    let count: Int?
    let statedCount: Int?
    let elementSize: Int
    /// Frame offsets of the argument slot and, for pointer arguments, of the pointee; `cell` is `nil` without one.
    let offset: Int
    let cell: Int?
    /// The field that the parameter is; `nil` for a parameter of C's function.
    let place: FieldPlace?
    /// The index in `slots` of the parameter in which the function stores the number of written elements; `nil` without
    /// one.
    let written: Int?
    /// The frame offset of the address that the function moves, and of that address as it was; `nil` without one.
    let cursor: Int?
    /// The index in `slots` of the count of the memory that the function returns through `cell`; `nil` without one, and
    /// if the function returns the count.
    let returnedCount: Int?
    /// Whether the stored value is a part of the call's result.
    let isReturned: Bool

    /// Makes the slots of a signature; `nil` if this machine cannot pass a type.
    static func all(
      of signature: Signature, _ frame: inout FrameLayout, _ callbacks: CallbackPlan?,
      _ library: PluginLibrary?
    ) -> [Slot]? {
      let parameters = signature.parameters
      let outputs = Set(signature.outputs.map(\.name))
      // Calls with kept arguments take no fast path for addresses, because it does not note those without an owner.
      let keeps = parameters.contains(where: \.isKept)
      var slots: [Slot] = []
      for (index, parameter) in parameters.enumerated() {
        let role = callbacks?.roles[index]
        let plan = TypePlan(parameter.type.valueType, in: library, isCallerAllocated: parameter.allocatedSize != nil)
        guard let plan, FFIType.agrees(with: parameter.type) else { return nil }
        let areElements = parameter.type.unwrapped.isCounted
        slots.append(
          Slot(
            parameter: parameter, argument: signature.inputIndices.firstIndex(of: index), plan: plan,
            plain: keeps && parameter.type.hasPointer ? nil : plain(parameter, plan, role), role: role,
            areElements: areElements,
            count: parameter.type.countName.flatMap { name in parameters.firstIndex { $0.name == name } },
            statedCount: parameter.type.statedCount, elementSize: TypeLayout(of: parameter.type.element)?.size ?? 1,
            offset: frame.add(TypeLayout(of: parameter.type)?.size ?? 0),
            cell: parameter.isByAddress && !areElements && !parameter.isKept ? frame.add(plan.layout.size) : nil,
            place: parameter.place, written: parameters.firstIndex { $0.counted == parameter.name },
            cursor: parameter.isMoved ? frame.add(16) : nil,
            returnedCount: parameter.type.returnedCountName.flatMap { name in parameters.firstIndex { $0.name == name }
            },
            isReturned: outputs.contains(parameter.name)))
      }
      return slots
    }

    private static func plain(
      _ parameter: Parameter, _ plan: TypePlan, _ role: CallbackPlan.Role?
    ) -> UnsafePointer<CallPlan.Parameter>? {
      let abiType: ABIType
      switch role {
      // A C function of the caller is passed as its address.
      case .closure(_, let isOptional): abiType = isOptional ? .nullablePointer : .pointer
      case .context, .completion: return nil
      case nil:
        abiType = ABIType(parameter.type)
        guard parameter.direction == .input, abiType.isData, !parameter.isKept else { return nil }
      }
      let plain = UnsafeMutablePointer<CallPlan.Parameter>.allocate(capacity: 1)
      plain.initialize(to: CallPlan.Parameter(parameter, abiType, at: 0, plan))
      return UnsafePointer(plain)
    }
  }

  /// The arguments for libffi: their types, and their offsets in the frame.
  struct FFIArguments {
    private(set) var types: [FFIType.Reference?]
    private(set) var offsets: [Int]

    init(_ slots: [Slot]) {
      let slots = slots.filter { $0.place == nil }
      types = slots.map { slot in
        let isAddress = slot.parameter.isByAddress || slot.areElements
        return isAddress ? FFIType.pointer : FFIType.of(slot.parameter.type)
      }
      offsets = slots.map(\.offset)
    }

    mutating func add(_ type: FFIType.Reference, _ offset: Int) {
      types.append(type)
      offsets.append(offset)
    }

    /// Splits the struct that must be passed as two arguments, if there is one.
    mutating func halve(returning result: FFIType.Reference) {
      guard let index = FFIType.halved(types.compactMap(\.self), returning: result) else { return }
      types.replaceSubrange(index...index, with: FFIType.halves)
      offsets.insert(offsets[index] + 8, at: index + 1)
    }
  }

  /// The offsets of the frame's parts that belong to no parameter.
  struct Frame: Sendable {
    /// The slots for the result and the error that the function stores, and for their addresses, which are arguments.
    let result: Int
    let error: Int
    let resultAddress: Int
    let errorAddress: Int
    /// The C result.
    let returned: Int
    /// A word for each slot: the number of elements, or the number that fits.
    let capacities: Int
    /// The addresses for libffi, for a function without a tail.
    let addresses: Int
    let size: Int

    init(_ layout: inout FrameLayout, _ plan: TypePlan?, slots: Int, arguments: Int) {
      let size = max(plan?.layout.size ?? 0, MemoryLayout<promise_value_t>.size)
      result = layout.add(size)
      error = layout.add(MemoryLayout<promise_value_t>.size)
      resultAddress = layout.add(8)
      errorAddress = layout.add(8)
      returned = layout.add(size)
      capacities = layout.add(slots * 8)
      addresses = layout.add(arguments * 8)
      self.size = layout.size
    }
  }
}

/// Allocates the parts of a frame in sequence.
struct FrameLayout {
  private(set) var size = 0

  /// Allocates a part, aligned for every type, at least as large as libffi may write. Returns its offset.
  mutating func add(_ bytes: Int) -> Int {
    defer { size += (max(bytes, 8) + 15) & ~15 }
    return size
  }
}

extension Parameter {
  /// Whether C receives the address of the value, as for out parameters and arrays.
  var isByAddress: Bool {
    type.isArray || isFieldsAlone || direction != .input && allocatedSize == nil
  }
}

extension ValueType {
  /// The type of the value; for a counted type, the type without its count.
  var valueType: ValueType {
    switch self {
    case .counted(let type, _): type
    case .optional(let type): .optional(type.valueType)
    case .own(let type, let release): .own(type.valueType, release: release)
    default: self
    }
  }

  var isPromise: Bool { if case .promise = self { true } else { false } }
}
