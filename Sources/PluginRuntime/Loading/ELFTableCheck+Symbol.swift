extension ELFTableCheck {
  /// Returns the symbol that the library exports under this name, found as `dlsym()` finds it.
  ///
  /// - Parameter hidden: whether a version other than the default one, as in `pthread_atfork@GLIBC_2.2.5`, counts: only
  ///   programs and libraries that were linked with that version find it.
  func symbol(named name: String, hidden: Bool = false) -> ELFSymbol? {
    let text = Array(name.utf8) + [0]
    return hashTable?.symbol(named: name) { isExported($0, text, hidden) }.map(entry)
  }

  /// The names that other libraries have to define. Weak ones may be missing.
  var needed: [String] {
    let count = min(hashTable?.neededCount ?? 0, symbols.count / ELFSymbol.size)
    return (0..<count).map(entry).filter(\.isNeeded).map { symbol in
      String(decoding: strings[Int(symbol.nameOffset)...].prefix { $0 != 0 }, as: UTF8.self)
    }
  }

  /// The names of functions that the library exports, for suggestions: of 65,536 symbols at most, and at most 256 bytes
  /// of each, because names of a hostile file may share their bytes.
  var functionNames: [String] {
    (0..<min(symbolCount, 65_536)).map(entry).filter { $0.isExported && $0.isFunction }.map { symbol in
      String(decoding: strings[Int(symbol.nameOffset)...].prefix(256).prefix { $0 != 0 }, as: UTF8.self)
    }
  }

  private func entry(_ index: Int) -> ELFSymbol { ELFSymbol(symbols, at: index * ELFSymbol.size) }

  private func isExported(_ index: Int, _ name: [UInt8], _ hidden: Bool) -> Bool {
    let symbol = entry(index)
    guard symbol.isExported, strings[Int(symbol.nameOffset)...].starts(with: name) else { return false }
    guard !hidden, !versions.isEmpty else { return true }
    // 0 and 1 stand for symbols without a version. The highest bit is set unless a version is the default one.
    let version: UInt16 = FileReader.number(versions, at: index * 2)
    return version & 0x8000 == 0 || version & 0x7FFF <= 1
  }
}
