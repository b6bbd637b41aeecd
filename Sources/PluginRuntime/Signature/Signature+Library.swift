extension Signature {
  /// Returns the signature for a function of an adopted library: each integer argument whose values have no names of
  /// their own may be given by the names of the library's constants, several with `|` between them.
  ///
  /// Neither the text of the signature nor its canonical form changes.
  func accepting(_ constants: LibraryConstantSets) -> Signature {
    guard !constants.isEmpty else { return self }
    let inputs = Set(inputIndices)
    let parameters = parameters.enumerated().map { index, parameter in
      guard inputs.contains(index), parameter.direction == .input, parameter.constants == nil,
        let set = constants[parameter.type]
      else { return parameter }
      var accepting = parameter
      accepting.constants = set
      return accepting
    }
    return Signature(
      name: name, parameters: parameters, tail: tail, variadicIndex: variadicIndex, result: result,
      resultNote: resultNote, completion: completion, failure: failure, failureDetails: failureDetails,
      countedByResult: countedByResult)
  }
}

/// The constants of an adopted library for each integer type, shared by all of its functions.
struct LibraryConstantSets {
  private var sets: [ValueType: ConstantSet] = [:]

  /// Picks for each type the constants whose values it can hold.
  init(_ library: [ConstantSet.Constant]) {
    guard !library.isEmpty else { return }
    for type in ScalarType.allCases.map(ValueType.scalar) where type.isInteger {
      let fitting: [ConstantSet.Constant] = library.compactMap { constant in
        (try? type.value(fromText: constant.value.json)).map { ConstantSet.Constant(name: constant.name, value: $0) }
      }
      guard !fitting.isEmpty else { continue }
      sets[type] = ConstantSet(base: type, areFlags: true, constants: fitting, areOfLibrary: true)
    }
  }

  var isEmpty: Bool { sets.isEmpty }

  subscript(type: ValueType) -> ConstantSet? { sets[type] }
}
