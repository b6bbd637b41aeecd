import CPromise

extension promise_value_t {
  /// Whether the value can fulfil a `promise<T>`: it has T's kind and is in T's range. A type of `nil` is void. `plan` is
  /// that of the type, or of its content, for structs, arrays and slices.
  func suits(_ type: ValueType?, _ plan: TypePlan?) -> Bool {
    switch type {
    case nil: return kind == promise_kind_t(PROMISE_KIND_VOID)
    case .bool: return kind == promise_kind_t(PROMISE_KIND_BOOL)
    case .f32, .f64: return kind == promise_kind_t(PROMISE_KIND_F64)
    case .str: return kind == promise_kind_t(PROMISE_KIND_STRING)
    case .bytes: return kind == promise_kind_t(PROMISE_KIND_BYTES)
    case .cstr: return kind == promise_kind_t(PROMISE_KIND_STRING) && !hasNUL
    case .i8, .i16, .i32, .i64, .isize:
      return kind == promise_kind_t(PROMISE_KIND_I64) && (type?.signedRange?.contains(self.as.i64) ?? false)
    case .u8, .u16, .u32, .u64, .usize:
      return kind == promise_kind_t(PROMISE_KIND_U64) && (type?.unsignedRange?.contains(self.as.u64) ?? false)
    case .optional(let type): return kind == promise_kind_t(PROMISE_KIND_VOID) || suits(type, plan)
    case .pointer: return kind == promise_kind_t(PROMISE_KIND_POINTER) && self.as.ptr != nil
    case .value: return true
    case .structure, .array:
      return contentLength(ofKind: PROMISE_KIND_BYTES).map { length in
        plan.map { $0.content.isPlain && $0.content.layout.size == length } ?? false
      } ?? holds(type)
    case .slice:
      guard let length = contentLength(ofKind: PROMISE_KIND_BYTES), let element = plan?.element else {
        return holds(type)
      }
      return element.isPlain && length % element.layout.size == 0
    default: return false
    }
  }

  /// Whether an ARRAY or a MAP has the parts of the type.
  private func holds(_ type: ValueType?) -> Bool {
    guard let type, let content = withUnsafePointer(to: self, { ValueBox.content($0) }) else { return false }
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
