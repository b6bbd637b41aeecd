extension SignatureWriter {
  /// Returns the argument whose address a function returns: memory of the host that it writes, with elements of the
  /// result's type. `unsigned char *MD5(const unsigned char *d, size_t n, unsigned char *md)` returns md. That memory
  /// is freed after the call, so the address is not an object's.
  func argumentOfResult(_ target: CType, _ isLent: [Bool]) -> String? {
    let element = header.resolved(target)
    // A GError reports the failure.
    guard !hasError else { return nil }
    let index = isLent.indices.first { index in
      guard isLent[index], case .pointer(let data, false) = header.resolved(types[index]) else { return false }
      return header.resolved(data) == element
    }
    return index.map { names[$0] }
  }
}
