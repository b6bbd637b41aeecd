import PluginRuntime

/// The functions that make memory, write it and read it: `calloc`, `memcpy` and `memset` of the C library.
///
/// A function may need memory without a word of the header about how much. A draft guesses no size: the function takes
/// an object, and the caller says how large it is, as in C. `memory_read` reads the data behind an address that a
/// function gives.
enum MemoryFunctions {
  /// The function that makes memory.
  static let maker = "memory_new"

  private typealias Text = (signature: String, symbol: String, description: String)

  private static let all: [Text] = [
    (
      "\(maker)(count: const usize = 1, size: usize) -> own(free) ptr<void> ! null", "calloc",
      "Makes memory of so many bytes, all 0."
    ),
    ("memory_write(memory: ptr<void>, data: bytes[size], size: usize)", "memcpy", "Copies bytes to memory."),
    ("memory_read(data: out bytes[size], memory: ptr<void>, size: usize)", "memcpy", "Reads so many bytes."),
    // memset() of 0 bytes returns its argument, and does nothing else.
    ("memory_text(memory: ptr<void>, \(nothing)) -> cstr", "memset", "Reads text up to its NUL."),
    ("memory_texts(memory: ptr<void>, \(nothing)) -> &[cstr; 0]", "memset", "Reads addresses of texts up to a NULL."),
    (
      "memory_load(address: out ptr<void>?, memory: ptr<void>, \(word))", "memcpy",
      "Reads the address that a function has left in memory."
    ),
    (
      "memory_store(memory: ptr<void>, address: inout ptr<void>?, \(word))", "memcpy",
      "Writes an address to memory, which does not keep its object alive."
    ),
  ]
  private static let nothing = "byte: const i32 = 0, size: const usize = 0"
  private static let word = "size: const usize = \(MemoryLayout<UInt>.size)"

  /// The functions, if the drafted ones take addresses that none of them gives, or give some that none of them takes.
  static func functions(
    for drafted: [AdoptionDraft.Function], except taken: Set<String>, provides: (String) -> Bool
  ) -> [AdoptionDraft.Function] {
    guard drafted.objects(taken: true) != drafted.objects(taken: false) else { return [] }
    return all.compactMap { text, symbol, description in
      guard provides(symbol), provides("free"), let signature = try? Signature(parsing: text),
        !taken.contains(signature.name)
      else { return nil }
      return AdoptionDraft.Function(
        signature: signature, symbol: symbol, description: description, checks: [], file: drafted.first?.file ?? "")
    }
  }
}

extension [AdoptionDraft.Function] {
  /// The names of the objects that the functions take, or that they give.
  func objects(taken: Bool) -> Set<String> {
    Set(
      flatMap { function in
        let signature = function.signature
        let types =
          taken ? signature.inputs.map(\.type) : signature.outputs.map(\.type) + [signature.yielded].compactMap(\.self)
        return types.compactMap { type in
          if case .pointer(let name) = type.content { name } else { nil }
        }
      })
  }
}
