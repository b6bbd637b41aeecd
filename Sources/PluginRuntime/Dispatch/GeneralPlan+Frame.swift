@preconcurrency import CFFI
import CPromise

extension GeneralPlan {
  /// One parameter of the C function.
  struct Slot: Sendable {
    let parameter: Parameter
    /// Which argument of a call it takes; `nil` if none.
    let argument: Int?
    /// How its value is stored; for elements whose count another parameter has, how a span of them is.
    let plan: TypePlan
    /// The same for the values that go into C as they are: what does not is for `plan`. Never freed.
    nonisolated(unsafe) let plain: UnsafePointer<CallPlan.Parameter>?
    /// What the function calls, or what it passes on then.
    let role: CallbackPlan.Role?
    /// Where in `slots` its count is, for a counted type, and how large an element is.
    let count: Int?
    let elementSize: Int
    /// Where in the frame lies what is passed, and what that is the address of; `nil` if it is of nothing there.
    let offset: Int
    let cell: Int?

    /// Those of a signature; `nil` if there is a type that this machine cannot pass.
    static func all(
      of signature: Signature, _ frame: inout FrameLayout, _ callbacks: CallbackPlan?,
      _ symbol: (String) -> UnsafeMutableRawPointer?
    ) -> [Slot]? {
      let parameters = signature.parameters
      var slots: [Slot] = []
      for (index, parameter) in parameters.enumerated() {
        let role = callbacks?.roles[index]
        guard let plan = TypePlan(parameter.type.valueType, symbol: symbol), FFIType.agrees(with: parameter.type)
        else { return nil }
        let isCounted = parameter.type.countName != nil
        slots.append(
          Slot(
            parameter: parameter, argument: signature.inputIndices.firstIndex(of: index), plan: plan,
            plain: plain(parameter, plan, role), role: role,
            count: parameter.type.countName.flatMap { name in parameters.firstIndex { $0.name == name } },
            elementSize: TypeLayout(of: parameter.type.element)?.size ?? 1,
            offset: frame.add(TypeLayout(of: parameter.type)?.size ?? 0),
            cell: parameter.isByAddress && !isCounted ? frame.add(plan.layout.size) : nil))
      }
      return slots
    }

    private static func plain(
      _ parameter: Parameter, _ plan: TypePlan, _ role: CallbackPlan.Role?
    ) -> UnsafePointer<CallPlan.Parameter>? {
      let crossing: Crossing
      switch role {
      // A C function that the caller has is passed as the address that it is.
      case .given(_, let isOptional): crossing = isOptional ? .nullablePointer : .pointer
      case .context, .completion: return nil
      case nil:
        crossing = Crossing(parameter.type)
        guard parameter.direction == .input, crossing.isData else { return nil }
      }
      let plain = UnsafeMutablePointer<CallPlan.Parameter>.allocate(capacity: 1)
      plain.initialize(to: CallPlan.Parameter(parameter, crossing, at: 0, plan))
      return UnsafePointer(plain)
    }
  }

  /// What libffi takes: the types of its arguments, and where in the frame they lie.
  struct Places {
    private(set) var types: [FFIType.Reference?]
    private(set) var offsets: [Int]

    init(_ slots: [Slot]) {
      types = slots.map { slot in
        let isAddress = slot.parameter.isByAddress || slot.count != nil
        return isAddress ? FFIType.pointer : FFIType.of(slot.parameter.type)
      }
      offsets = slots.map(\.offset)
    }

    mutating func add(_ type: FFIType.Reference, _ offset: Int) {
      types.append(type)
      offsets.append(offset)
    }

    /// Makes two arguments of the struct that has to be, if there is one.
    mutating func halve(returning result: FFIType.Reference) {
      guard let index = FFIType.halved(types.compactMap(\.self), returning: result) else { return }
      types.replaceSubrange(index...index, with: FFIType.halves)
      offsets.insert(offsets[index] + 8, at: index + 1)
    }
  }

  /// Where in the frame the parts lie that are not one parameter's.
  struct Frame: Sendable {
    /// What the function fills in as its result and as its error, and the addresses of these two, which it is passed.
    let result: Int
    let error: Int
    let resultAddress: Int
    let errorAddress: Int
    /// What the function returns.
    let returned: Int
    /// A word for each slot: how many elements there are, or there is room for.
    let rooms: Int
    /// What libffi takes, if there is no tail.
    let addresses: Int
    let size: Int

    init(_ layout: inout FrameLayout, _ plan: TypePlan?, slots: Int, arguments: Int) {
      let size = max(plan?.layout.size ?? 0, MemoryLayout<promise_value_t>.size)
      result = layout.add(size)
      error = layout.add(MemoryLayout<promise_value_t>.size)
      resultAddress = layout.add(8)
      errorAddress = layout.add(8)
      returned = layout.add(size)
      rooms = layout.add(slots * 8)
      addresses = layout.add(arguments * 8)
      self.size = layout.size
    }
  }
}

/// The parts of a frame, one after another.
struct FrameLayout {
  private(set) var size = 0

  /// Sets so many bytes aside, aligned for anything; at least as many as libffi may write.
  mutating func add(_ bytes: Int) -> Int {
    defer { size += (max(bytes, 8) + 15) & ~15 }
    return size
  }
}

extension Parameter {
  /// Whether C is given the address of the value: of what it fills, and of an array.
  var isByAddress: Bool {
    if case .array = type { return true }
    return direction != .input
  }
}

extension ValueType {
  /// The type of the value that a call gives: of a counted one what is counted.
  var valueType: ValueType {
    switch self {
    case .counted(let type, _): type
    case .optional(.counted(let type, _)): .optional(type)
    default: self
    }
  }

  var isPromise: Bool { if case .promise = self { true } else { false } }
}
