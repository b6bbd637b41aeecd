import PluginRuntime

/// The functions that give the address of a function of the library: `dlopen` and `dlsym` of the C library.
///
/// `xdr_sizeof(xdrproc_t function, void *data)` takes a function of any prototype, here `xdr_int`. No closure is one.
enum FunctionAddresses {
  /// The functions, if a drafted one takes the address of a function. `library` is its file, as the draft has it.
  static func functions(
    for drafted: [AdoptionDraft.Function], of library: String, except taken: Set<String>, provides: (String) -> Bool
  ) -> [AdoptionDraft.Function] {
    guard drafted.objects(taken: true).contains("function"), provides("dlopen"), provides("dlsym") else { return [] }
    let failure = provides("dlerror") ? " message dlerror" : ""
    // 1 is RTLD_LAZY. The library is there already.
    let texts = [
      (
        "library_open(file: const cstr = \(PluginValue.string(library).json), mode: const i32 = 1) "
          + "-> ptr<library> ! null\(failure)", "dlopen", "Gives the library, for \(named)."
      ),
      (
        "\(named)(library: ptr<library>, name: cstr) -> ptr<function> ! null\(failure)", "dlsym",
        "Gives the address of a function, an argument for callbacks too. Nothing checks its parameters."
      ),
    ]
    return texts.compactMap { text, symbol, description in
      guard let signature = try? Signature(parsing: text), !taken.contains(signature.name) else { return nil }
      return AdoptionDraft.Function(
        signature: signature, symbol: symbol, description: description, checks: [], file: drafted.first?.file ?? "")
    }
  }

  private static let named = "library_function"
}
