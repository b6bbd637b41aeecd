import CPromise

extension promise_value_t {
  /// Whether the value can fulfil a `promise<T>`: it has T's kind and is in T's range. A type of `nil` is void. `plan`
  /// is that of the type, or of its content, for structs, arrays and slices.
  func suits(_ type: ValueType?, _ plan: TypePlan?) -> Bool {
    if kind == promise_kind_t(PROMISE_KIND_VOID), type?.isOptional ?? true { return true }
    switch type?.kind {
    case .scalar(let scalar): return suits(scalar)
    case .text(let hasNUL): return kind == promise_kind_t(PROMISE_KIND_STRING) && (hasNUL || !self.hasNUL)
    case .bytes: return kind == promise_kind_t(PROMISE_KIND_BYTES)
    case .pointer: return kind == promise_kind_t(PROMISE_KIND_POINTER) && self.as.ptr != nil
    case .value: return true
    case .structure, .list(_, .some):
      return contentLength(ofKind: PROMISE_KIND_BYTES).map { length in
        plan.map { $0.content.isPlain && $0.content.layout.size == length } ?? false
      } ?? holds(type)
    case .list(_, nil):
      guard let length = contentLength(ofKind: PROMISE_KIND_BYTES), let element = plan?.element else {
        return holds(type)
      }
      return element.isPlain && length % element.layout.size == 0
    default: return false
    }
  }

  private func suits(_ scalar: ScalarType) -> Bool {
    switch scalar.form {
    case .bool: kind == promise_kind_t(PROMISE_KIND_BOOL)
    case .float: kind == promise_kind_t(PROMISE_KIND_F64)
    case .signed: kind == promise_kind_t(PROMISE_KIND_I64) && scalar.signedRange?.contains(self.as.i64) ?? false
    case .unsigned: kind == promise_kind_t(PROMISE_KIND_U64) && scalar.unsignedRange?.contains(self.as.u64) ?? false
    }
  }

  /// Whether an ARRAY or a MAP has the parts of the type.
  private func holds(_ type: ValueType?) -> Bool {
    guard let type, let content = withUnsafePointer(to: self, { try? ValueConversion.content($0) }) else {
      return false
    }
    return content.isOf(type)
  }

  private func contentLength(ofKind kind: Int) -> Int? {
    guard self.kind == promise_kind_t(kind) else { return nil }
    var length = 0
    withUnsafePointer(to: self) { _ = promise_value_data($0, &length) }
    return length
  }

  private var hasNUL: Bool {
    withUnsafePointer(to: self) { value in
      var length = 0
      let data = UnsafeRawBufferPointer(start: promise_value_data(value, &length), count: length)
      return data.contains(0)
    }
  }
}
