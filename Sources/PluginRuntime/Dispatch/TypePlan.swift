@preconcurrency import CFFI

/// The plan to store and load values of a type: everything that can be computed without a value.
final class TypePlan: Sendable {
  struct Field: Sendable {
    let name: String
    let offset: Int
    /// The plan to store and load the value; for a counted type, a span of the elements.
    let plan: TypePlan
    /// The index of the field with the count, for a counted type.
    var count: Int?
  }

  enum Form: Sendable {
    case scalar(ScalarType)
    /// str and bytes: an address and a length.
    case text(isUTF8: Bool)
    case cstr
    case pointer(String)
    case structure([Field])
    /// The plans of the choices, each a struct of one member. The tag, at an offset from the union, chooses one.
    indirect case union(UnionType, [TypePlan], tag: ScalarType, offset: Int)
    case array(TypePlan, count: Int)
    /// Text in an array of char.
    case inlineText(size: Int)
    case slice(TypePlan)
    /// The address of elements, with a zero after the last.
    case terminated(TypePlan)
    /// A type whose representation has a NULL.
    case nullable(TypePlan)
    /// The address of a value, or NULL.
    case indirect(TypePlan)
    /// The address of a value.
    case reference(TypePlan)
    /// A value that its receiver frees: with a function of the plugin or, if `nil`, with the host's allocator.
    case owned(TypePlan, Destructor?)
    /// An object that its receiver releases: the host, by the destructor; without a destructor, the called function.
    case object(String, Destructor?, LiveObjects?)
    /// The number of a descriptor that is lent to a function, or that a function gives to its caller.
    case fd
    /// Types that only calls can pass: promises, callbacks, errors, tokens, values.
    case handle
  }

  let type: ValueType
  let form: Form
  let layout: TypeLayout
  /// Whether a value contains all of its data.
  let isPlain: Bool

  /// The plan of a slice's elements; `nil` for other types.
  var element: TypePlan? {
    switch form {
    case .slice(let element): element
    case .nullable(let plan): plan.element
    default: nil
    }
  }

  /// The plan of the value itself, without `?`, `&` and `own`.
  var content: TypePlan {
    switch form {
    case .nullable(let plan), .indirect(let plan), .reference(let plan), .owned(let plan, _): plan.content
    default: self
    }
  }

  /// Makes the plan to convert values that are arrays or objects, or promises of them; `nil` for other types, which are
  /// checked when they are stored.
  static func ofElements(_ type: ValueType) -> TypePlan? {
    switch type.kind {
    case .promise(let held): held.flatMap(ofElements)
    case .list, .structure: TypePlan(type)
    default: nil
    }
  }

  /// Makes the plan for a type; `nil` if its release function is not found.
  ///
  /// - Parameters:
  ///   - isCallerAllocated: whether the type is an object in memory that the host allocates: `out(64)`.
  ///   - tagOffset: the offset of a union's tag from the union.
  init?(_ type: ValueType, in library: PluginLibrary? = nil, isCallerAllocated: Bool = false, tagOffset: Int = 0) {
    guard let layout = TypeLayout(of: type) else { return nil }
    let form =
      isCallerAllocated ? Self.callerAllocatedForm(of: type, library) : Self.form(of: type, library, tagOffset)
    guard let form else { return nil }
    self.type = type
    self.form = form
    self.layout = layout
    isPlain = type.isPlain
  }

  /// Makes the form of an object in memory that the host allocates, and frees after the destructor; without `own`,
  /// never.
  private static func callerAllocatedForm(of type: ValueType, _ library: PluginLibrary?) -> Form? {
    guard case .own(.pointer(let name), let release) = type else { return form(of: type, library) }
    guard let library, let destructor = library.destructor(ofMemory: release) else { return nil }
    return .object(name, destructor, library.objects)
  }

  private static func form(of type: ValueType, _ library: PluginLibrary?, _ tagOffset: Int = 0) -> Form? {
    switch type {
    case .scalar(let scalar): return .scalar(scalar)
    case .str: return .text(isUTF8: true)
    case .bytes: return .text(isUTF8: false)
    case .cstr: return .cstr
    case .pointer(let name): return .pointer(name)
    case .fd: return .fd
    case .structure(let type):
      guard let layout = StructLayout(type) else { return nil }
      var fields: [Field] = []
      for (field, offset) in zip(type.fields, layout.offsets) {
        var tag = offset
        if case .union(let union) = field.type { tag = fields.first { $0.name == union.tag }?.offset ?? offset }
        guard let plan = TypePlan(field.type.valueType, tagOffset: tag - offset) else { return nil }
        fields.append(Field(name: field.name, offset: offset, plan: plan, count: type.count(of: field)))
      }
      return .structure(fields)
    case .union(let union):
      let members = union.choices.compactMap { TypePlan($0) }
      guard let tag = union.values.base.scalar, members.count == union.members.count else { return nil }
      return .union(union, members, tag: tag, offset: tagOffset)
    case .array(let element, let count): return TypePlan(element).map { .array($0, count: count) }
    case .inlineText(let size): return .inlineText(size: size)
    case .slice(let element): return TypePlan(element).map { .slice($0) }
    case .terminated(let element): return TypePlan(element).map { .terminated($0) }
    case .reference(let target): return TypePlan(target).map { .reference($0) }
    case .own(.pointer(let name), nil): return .object(name, library?.noDestructor(), library?.objects)
    case .own(.pointer(let name), let release?):
      guard let library, let destructor = library.destructor(release) else { return nil }
      return .object(name, destructor, library.objects)
    case .own(let type, let release):
      guard let plan = TypePlan(type) else { return nil }
      guard let release else { return .owned(plan, nil) }
      guard let destructor = library?.destructor(release) else { return nil }
      return .owned(plan, destructor)
    case .optional(let wrapped):
      guard let plan = TypePlan(wrapped, in: library) else { return nil }
      return wrapped.isAddress || wrapped.isSpan ? .nullable(plan) : .indirect(plan)
    case .promise, .callback, .context, .error, .token, .value, .counted, .constant: return .handle
    }
  }
}
