extension SignatureWriter {
  /// Returns the argument whose address a function returns: data that it writes to the host's memory, with elements of
  /// the result's type. `unsigned char *MD5(const unsigned char *d, size_t n, unsigned char *md)` returns md. That
  /// memory is freed after the call, so the address is not an object's.
  func argumentOfResult(_ target: CType) -> String? {
    let element = header.resolved(target)
    // A GError reports the failure.
    guard !hasError else { return nil }
    let index = types.indices.first { index in
      guard case .pointer(let data, false) = header.resolved(types[index]), header.resolved(data) == element else {
        return false
      }
      return !keepsData(index) && counts.count(of: index) != nil
        && CountedParameters.isData(header.resolved(types[index]), header)
        || bound(index) != nil
    }
    return index.map { names[$0] }
  }
}
